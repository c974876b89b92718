/**
 * Publishes API proxies in an nginx: what is stored becomes a configuration in parts, one for each proxy and one for each
 * environment, and what nginx says becomes the state of proxies.
 */
import { planOf } from '../api-management/render/plan.ts'
import {
  environmentPart,
  type Published,
  type PublishedProxy,
  RESERVED_PART,
  type Site,
} from '../api-management/render/published.ts'
import { assemble, renderEnvironment } from '../api-management/render/render.ts'
import type { JsonObject } from '../json/member.ts'
import type { Forms } from '../proxy/configuration.ts'
import { type DriverOptions, openDriver } from '../proxy/driver.ts'
import { refusalOf } from '../proxy/program.ts'
import { createComposer } from './composer.ts'
import { idsInForce, outcomesOf, type ProxyOutcome, type Tried } from './outcomes.ts'
import { openRequestCounts, REQUESTS_LOG, type RequestCounts } from './requests.ts'

/** Outcomes by the ids of proxies. */
export type Outcomes = ReadonlyMap<string, ProxyOutcome>

/** Puts proxies into force. */
export type Publisher = {
  /**
   * Everything that nginx is to run from now on. While one is being applied only the newest of the others waits, and the
   * ones between them get its outcomes, each with the revision that was tried. Never rejects but after {@link stop}.
   */
  publish(published: Published): Promise<Outcomes>
  /** The ids of the proxies that nginx serves now as they are here. */
  inForce(published: Published): ReadonlySet<string>
  /** Why a proxy with this body cannot be published, in sentences; undefined where it can. */
  problemOf(body: JsonObject): string | undefined
  /** Why nginx refuses global policies of an environment, in its own words; undefined where it does not, or cannot be asked. */
  refusalOf(policies: JsonObject): Promise<string | undefined>
  /** What the limits did since the publisher was opened. */
  readonly requests: Omit<RequestCounts, 'keep' | 'close'>
  /** The process id of the nginx that runs. */
  pid(): number | undefined
  /** Ends nginx, which gets `grace` milliseconds to finish its requests (default: none). */
  stop(grace?: number): Promise<void>
  /** Ends the publisher. nginx goes on serving, and the next publisher in this folder takes it over. */
  leave(): Promise<void>
}

export type PublisherOptions = Pick<DriverOptions, 'folder' | 'nginx' | 'limits' | 'largestLog' | 'onLogLine'> & {
  /** Where nginx listens; what its version needs is asked of the program. */
  readonly site: Omit<Site, 'nginxVersion'>
  /** nginx has ended by itself. */
  readonly onEnded?: () => void
  /** What came of starting nginx again after that. */
  readonly onOutcomes?: (outcomes: Outcomes) => void
}

/** Opens a folder, new or with what another publisher has left. Throws a {@link DriverFailure} where that cannot be done. */
export async function openPublisher({ site, onEnded, onOutcomes, ...options }: PublisherOptions): Promise<Publisher> {
  let tried: Tried | undefined
  const driver = await openDriver({
    ...options,
    onEvent(event) {
      if (event.event === 'ended') onEnded?.()
      else if (tried) onOutcomes?.(outcomesOf(tried, event.outcome))
    },
  })
  const compose = createComposer({ ...site, requestsLog: REQUESTS_LOG, nginxVersion: driver.version })
  const requests = openRequestCounts(options.folder)
  let inForce: Forms = new Map()
  let waiting: Published | undefined
  let next: Promise<Outcomes> | undefined
  let last: Promise<unknown> = Promise.resolve()
  /** One at a time. */
  let trial: Promise<string | undefined> = Promise.resolve(undefined)
  const asking = { program: options.nginx, folder: options.folder, limit: TRIAL }

  async function apply(published: Published): Promise<Outcomes> {
    const now = formsOf(published, inForce, site)
    tried = now
    requests.keep(new Set(published.proxies.map(({ id }) => id)))
    const outcome = await driver.apply({ forms: now.forms, compose })
    inForce = outcome.forms ?? inForce
    return outcomesOf(now, outcome)
  }

  return {
    publish(published) {
      waiting = published
      next ??= last.then(() => {
        const newest = waiting ?? published
        next = undefined
        return apply(newest)
      })
      last = next.catch(() => {})
      return next
    },
    problemOf: (body) => problemOf({ body }, site),
    inForce: (published) => idsInForce(formsOf(published, inForce, site), driver.inForce()),
    refusalOf(policies) {
      const files = policiesAlone(policies, { ...site, nginxVersion: driver.version })
      trial = trial.then(() => refusalOf(files, asking)).catch(() => undefined)
      return trial
    },
    requests,
    pid: () => driver.master()?.pid,
    async stop(grace) {
      await last
      await driver.stop(grace)
      requests.close()
    },
    async leave() {
      await last
      await driver.leave()
      requests.close()
    },
  }
}

/** Milliseconds for `nginx -t` of an environment alone. */
const TRIAL = 10_000

/** The configuration of an environment without proxies. */
function policiesAlone(policies: JsonObject, { nginxVersion, address, port }: Site) {
  const environment = renderEnvironment({ name: 'trial', policies })
  return assemble([], [environment], { nginxVersion, address, port })
}

/** A proxy that cannot be rendered keeps its last accepted form. */
function formsOf(published: Published, inForce: Forms, site: PublisherOptions['site']): Tried {
  const forms = new Map<string, string>()
  const leftOut = new Map<string, string>()
  const { reserved = [] } = published
  if (reserved.length > 0) forms.set(RESERVED_PART, JSON.stringify(reserved))
  for (const { name, policies } of published.environments) forms.set(environmentPart(name), JSON.stringify(policies))
  for (const proxy of published.proxies) {
    const problem = problemOf(proxy, site)
    const form = problem === undefined ? formOf(proxy) : inForce.get(proxy.id)
    if (problem !== undefined) leftOut.set(proxy.id, problem)
    if (form !== undefined) forms.set(proxy.id, form)
  }
  return { published, forms, leftOut }
}

/** Why a proxy is not published, in sentences. A program in front of nginx may authenticate clients; nothing else does. */
function problemOf({ body }: Pick<PublishedProxy, 'body'>, { hop }: PublisherOptions['site']): string | undefined {
  const { plan, problems } = planOf(body)
  const [problem] = problems
  if (problem) return `${problem.pointer}: ${problem.message}. ${problem.remedy}`
  const [open] = hop ? [] : plan.unenforced
  if (open === undefined) return undefined
  return `The policy "${open}" authenticates clients, and nginx cannot do that here: everyone would get in. Use "apikey-authn", or a program in front of nginx.`
}

const formOf = ({ environment, body }: PublishedProxy): string => JSON.stringify({ environment, body })
