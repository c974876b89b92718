/** Certificates: whether the API server trusts what the servers present, and for how long. */
import { type CertificateFacts, pemBlocks, readCertificate } from '../../http/authority.ts'
import { meshNames } from '../../installation/mesh.ts'
import { NAMES } from '../../installation/object.ts'
import { type Evidence, nameOf, objectAt, textAt } from '../evidence.ts'
import { type Check, failure, type Judgement, ok, warning, whereFound, worstOf } from '../judgement.ts'
import { hasFlag, type Server, serverOf, workloadOf } from '../servers.ts'
import { eachWebhook } from './webhooks.ts'

const DAY = 24 * 3_600_000
/** Days left at which a certificate is a warning, and a failure: those of sluice are renewed after two thirds of their lives. */
const FEW = { warning: 30, failure: 7 } as const

const restart = (server: Server, evidence: Evidence): string => {
  const words = `kubectl -n ${server.namespace(evidence)}`
  const workload = workloadOf(server, evidence)
  if (workload.state === 'found' && hasFlag(workload.value, '--cert'))
    return `${words} describe certificate ${server.name(evidence)} # says why cert-manager does not renew it`
  return `${words} rollout restart deployment/${server.name(evidence)} # renews what is due, writes the caBundle`
}

/** How long a certificate is valid at a moment. A short life, as cert-manager gives, is judged by its last third. */
function life({ from, until }: CertificateFacts, what: string, now: number, remedy: string): Judgement {
  const days = Math.floor((until - now) / DAY)
  const isShort = (limit: number) => until - now < Math.min(limit * DAY, (until - from) / 3)
  if (now >= until) return failure(`${what} expired on ${new Date(until).toISOString()}`, remedy)
  if (now < from) return failure(`${what} is not valid before ${new Date(from).toISOString()}`, remedy)
  if (isShort(FEW.failure)) return failure(`${what} expires in ${days} days`, remedy)
  return isShort(FEW.warning) ? warning(`${what} expires in ${days} days`, remedy) : ok(`${what}: ${days} days left`)
}

/** What an API server trusts: no longer than the last of its authorities is valid. */
function bundleJudgement(bundle: string, where: string, evidence: Evidence, server: Server): Judgement {
  const remedy = restart(server, evidence)
  const authorities = pemBlocks(Buffer.from(bundle, 'base64').toString()).flatMap((pem) => readCertificate(pem) ?? [])
  const [last] = authorities.toSorted((a, b) => b.until - a.until)
  if (bundle === '')
    return failure(`${where} has no caBundle: the API server trusts no certificate of ${server.title}`, remedy)
  return last
    ? life(last, 'the authority', evidence.now, remedy)
    : failure(`the caBundle of ${where} holds no certificate`, remedy)
}

/** Under which name an API server calls a server, and what it trusts then. */
type Caller = { readonly name: string; readonly bundle: string }

/** The certificate that a server presents, against what the API server expects. */
function presentedJudgement(cert: string, callers: readonly Caller[], server: Server, evidence: Evidence): Judgement {
  const remedy = restart(server, evidence)
  const facts = readCertificate(cert)
  if (!facts) return failure(`what ${server.title} presents is no certificate`, remedy)
  const isSigned = (bundle: string) =>
    pemBlocks(Buffer.from(bundle, 'base64').toString()).some((authority) => facts.isSignedBy(authority))
  return worstOf([
    life(facts, 'the certificate', evidence.now, remedy),
    ...callers.flatMap(({ name, bundle }) => [
      ...(facts.names.includes(name)
        ? []
        : [failure(`the certificate is for ${facts.names.join(', ')}, and the API server asks ${name}`, remedy)]),
      ...(bundle === '' || isSigned(bundle)
        ? []
        : [failure('the certificate is signed by no authority of the caBundle: every call fails', remedy)]),
    ]),
  ])
}

const serviceName = (service: unknown): string => `${textAt(service, 'name')}.${textAt(service, 'namespace')}.svc`

/** How the API server calls the webhooks of the configurations that are there. */
function callersOfWebhook(evidence: Evidence): readonly Caller[] {
  const callers: Caller[] = []
  eachWebhook(evidence, '', ({ actual: { clientConfig } }) => {
    const url = textAt(clientConfig, 'url')
    const name = URL.canParse(url) ? new URL(url).hostname : serviceName(objectAt(clientConfig, 'service'))
    callers.push({ name, bundle: textAt(clientConfig, 'caBundle') })
    return []
  })
  return callers
}

const apiServiceOf = (evidence: Evidence) =>
  evidence.get({ kind: 'APIService', name: meshNames(evidence.project.settings).apiService })

function callersOfMesh(evidence: Evidence): readonly Caller[] {
  const known = apiServiceOf(evidence)
  if (known.state !== 'found') return []
  return [
    { name: serviceName(objectAt(known.value, 'spec', 'service')), bundle: textAt(known.value, 'spec', 'caBundle') },
  ]
}

/** Both checks of a server. */
const certificateChecks = (
  prefix: string,
  server: Server,
  callersOf: (evidence: Evidence) => readonly Caller[],
  judgeBundle: (evidence: Evidence) => Judgement | undefined,
): readonly Check[] => [
  {
    id: `${prefix}/ca-bundle`,
    title: `whom the API server trusts as ${server.title}`,
    // In manifests it is empty, as the server or cert-manager writes it.
    judge: (evidence) => (evidence.cluster ? judgeBundle(evidence) : undefined),
  },
  {
    id: `${prefix}/certificate`,
    title: `the certificate of ${server.title}`,
    judge(evidence) {
      const callers = callersOf(evidence)
      const known = evidence.certificates[server.name(evidence)]
      if (known === undefined || callers.length === 0) return undefined
      const absent = failure(`${server.title} has no certificate yet`, restart(server, evidence))
      return whereFound(known, `the certificate of ${server.title}`, absent, (cert) =>
        presentedJudgement(cert, callers, server, evidence),
      )
    },
  },
]

export const CERTIFICATE_CHECKS: readonly Check[] = [
  ...certificateChecks('webhook', serverOf('admission'), callersOfWebhook, (evidence) =>
    eachWebhook(evidence, 'every webhook has one', ({ name, actual }) => [
      bundleJudgement(textAt(actual, 'clientConfig', 'caBundle'), name, evidence, serverOf('admission')),
    ]),
  ),
  ...certificateChecks('mesh', serverOf('mesh'), callersOfMesh, (evidence) => {
    const known = apiServiceOf(evidence)
    if (known.state !== 'found') return undefined
    return bundleJudgement(textAt(known.value, 'spec', 'caBundle'), nameOf(known.value), evidence, serverOf('mesh'))
  }),
]

/** The Secrets in which the certificates of servers are, by the name of the Service. */
export const certificateSecrets = (place: Pick<Evidence, 'names' | 'namespace' | 'project'>) => [
  { service: NAMES.admission, secret: NAMES.tls, namespace: place.namespace },
  {
    service: meshNames(place.project.settings).api,
    secret: meshNames(place.project.settings).tls,
    namespace: meshNames(place.project.settings).namespace,
  },
]
