/**
 * `sluice export validating-admission-policy` in the real API server: it says of every fixture what the webhook says, as
 * far as the rules are carried. With the CRD as it is, which refuses much before any policy is asked, and with one that
 * accepts everything.
 */
import { beforeAll, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import type { DescribedFinding } from '../../src/engine/finding.ts'
import { admissionPolicies } from '../../src/installation/admission-policies.ts'
import { isObject } from '../../src/json/member.ts'
import { fieldPath } from '../../src/json/pointer.ts'
import { DEFAULT_PROJECT, type Settings } from '../../src/settings/settings.ts'
import { ONLY_RULE } from '../fixtures.ts'
import { printCount, SEED } from '../nginx/counts.ts'
import { share } from '../runs.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import {
  CASES,
  type Case,
  expectedOf,
  isAsked,
  isPruned,
  LAX,
  ofVendor,
  settingsOf,
  spaces,
  VENDORS,
  type Vendor,
} from './policy-cases.ts'
import { type Answer, isDenied, withMetadata } from './policy-requests.ts'
import { laxCrd, limit, namespace, policy, until } from './resources.ts'

const { kubectl, store, write } = useCluster({ objects: [...spaces.values()].map(({ space }) => namespace(space)) })

const CREATED = [200, 201]

/** The policies of one set of settings, for one namespace and one vendor. */
const exportedFor = (settings: Settings, space: string, vendor: Vendor): readonly object[] =>
  admissionPolicies({
    ...DEFAULT_PROJECT,
    settings: settingsOf(settings, vendor),
    namespaces: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [space] }],
  }).objects.map(({ spec, metadata, ...rest }) => {
    const name = `${metadata.name}-${space}-${vendor}`
    return {
      ...rest,
      metadata: { ...metadata, name },
      spec: isObject(spec) && spec.policyName ? { ...spec, policyName: name } : spec,
    }
  })

beforeAll(async () => {
  await store([laxCrd(LAX)])
  const lax = `ratelimitpolicies.gateway.${LAX}.org`
  await must(kubectl(['wait', '--for=condition=Established', '--timeout=30s', `crd/${lax}`]))
  await until(`the API server serves ${lax}`, async () => (await kubectl(`get ${lax} -A`)).code === 0)
  await storePrevious()
  for (const { space, settings } of spaces.values())
    await store(VENDORS.flatMap((vendor) => exportedFor(settings, space, vendor)))
  for (const { space } of spaces.values()) for (const vendor of VENDORS) await untilEnforced(space, vendor)
})

/** The resource versions of the earlier versions, by vendor and title. */
const stored = new Map<string, string>()

/** Stores the earlier versions before there is any policy. Those that the CRD does not allow cannot be there. */
async function storePrevious(): Promise<void> {
  for (const { oldObject, title } of CASES)
    for (const vendor of VENDORS) {
      const answer = oldObject && (await write('POST', ofVendor(oldObject, vendor), ''))
      if (answer?.resourceVersion !== undefined) stored.set(`${vendor} ${title}`, answer.resourceVersion)
    }
}

/** Both policies are in force: one denies, the other warns. */
async function untilEnforced(space: string, vendor: Vendor): Promise<void> {
  const broken = policy('probe', ['Gateway/edge'], { local: { rules: [limit({ rate: '0r/s' })] } }, space)
  const weak = policy('probe', ['Gateway/edge'], { local: { rules: [limit({ zoneSize: null })] } }, space)
  await until(`the policies of ${space} for ${vendor} are in force`, async () => {
    const denied = await write('POST', ofVendor(broken, vendor))
    const warned = await write('POST', ofVendor(weak, vendor))
    return denied.message.includes('denied request') && warned.warnings.length > 0
  })
}

/** A finding in the words of a message: `field: what is wrong. What to do [rule]`. */
type Said = { readonly field: string; readonly rule: string; readonly text: string }

const FINDING = /(\S+?): ((?:(?! \[gateway\/).)*) \[(gateway\/[\w-]+)\]/gs

/** Messages are on one line. */
const escaped = (text: string): string => text.replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1))

const findingsIn = (text: string): readonly Said[] =>
  [...text.matchAll(FINDING)].map(([, field = '', said = '', rule = '']) => ({ field, rule, text: escaped(said) }))

/** What a policy must say; it may leave out what differs between similar messages, and then has the remedy of the rule. */
function isSaid({ field, rule, text }: Said, finding: DescribedFinding, isDenial: boolean): boolean {
  const [message, help] = [escaped(finding.message), escaped(finding.help)]
  if (field !== fieldPath(finding.pointer) || rule !== finding.rule) return false
  if (text === (isDenial ? `${message}. ${help}` : message)) return true
  const general = `. ${RULES.find(({ id }) => id === rule)?.remedy}`
  return isDenial && text.endsWith(general) && message.startsWith(text.slice(0, -general.length))
}

/** Whether each of some findings is said, and nothing else. */
function compare(said: readonly Said[], expected: readonly DescribedFinding[], isDenial: boolean): string[] {
  const left = [...expected]
  const surplus = said.filter((one) => {
    const index = left.findIndex((finding) => isSaid(one, finding, isDenial))
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
  return [
    ...surplus.map(({ field, rule, text }) => `only the policy says: ${field}: ${text} [${rule}]`),
    ...left.map(({ pointer, rule, message }) => `only the webhook says: ${fieldPath(pointer)}: ${message} [${rule}]`),
  ]
}

/** Findings in the message of a denial. */
const SHOWN = 3

/** What differs between the answer of the API server and that of the webhook. */
function differences(answer: Answer, { denials, warnings }: ReturnType<typeof expectedOf>): string[] {
  if (!isDenied(answer)) {
    const said = answer.warnings.flatMap((text) => findingsIn(text.replace(/^.*? with binding '[^']+': /s, '')))
    return [...(denials.length > 0 ? ['not denied'] : []), ...compare(said, warnings, false)]
  }
  const [message = '', more = '0'] = answer.message.split(/; and (\d+) more$/)
  const shown = denials.slice(0, Math.max(SHOWN, denials.length - Number(more)))
  return compare(findingsIn(message.replace(/^.*? is denied: /s, '')), shown, true)
}

/** What the CRD refuses cannot be there before; with another CRD it can. */
const couldBeThere = ({ oldObject, title }: Case, vendor: Vendor): boolean =>
  oldObject === undefined || stored.has(`${vendor} ${title}`)

/**
 * Of an old version that the CRD refuses, so that nginx cannot have had it, only the policy says that its keys change, and that
 * an error is new whose message names another element than before.
 */
const isStated = ({ oldObject, title }: Case, difference: string): boolean =>
  oldObject !== undefined &&
  !stored.has(`nginx ${title}`) &&
  /^only the policy says: .*\[gateway\/(?:key-change-without-zone-resize|mixed-target-kinds)\]$/s.test(difference)

/** Asks about a case, and says what differs from the webhook; undefined where the API server does not get that far. */
async function judge(one: Case, vendor: Vendor) {
  const resourceVersion = stored.get(`${vendor} ${one.title}`)
  const object = resourceVersion ? withMetadata(one.object, { resourceVersion }) : one.object
  const answer = await write(one.oldObject ? 'PUT' : 'POST', ofVendor(object, vendor))
  if (!isDenied(answer) && !CREATED.includes(answer.status)) return undefined
  const wrong = differences(answer, expectedOf(one, vendor)).filter((difference) => !isStated(one, difference))
  const outcome = isDenied(answer) ? 'denied' : answer.warnings.length > 0 ? 'warned' : 'allowed'
  return {
    outcome,
    surprise: wrong.length > 0 ? [`${one.title}\n  ${wrong.join('\n  ')}\n  ${answer.message}`] : [],
  } as const
}

/** One rule is tested with the CRD that lets everything through to its policy. */
const ASKED = ONLY_RULE === undefined ? share(VENDORS, 1) : [LAX]

it.each(ASKED)('the policies say of every fixture what the webhook says (CRD of %s)', async (vendor) => {
  const count = { denied: 0, warned: 0, allowed: 0, refusedBefore: 0 }
  const surprises: string[] = []
  for (const one of CASES.filter((each) => isAsked(each) && couldBeThere(each, vendor))) {
    if (isPruned(one.object)) continue
    const judged = await judge(one, vendor)
    count[judged?.outcome ?? 'refusedBefore'] += 1
    surprises.push(...(judged?.surprise ?? []))
  }
  printCount('SLUICE_CASES', JSON.stringify(count))
  expect(surprises, `SLUICE_SEED=${SEED}`).toEqual([])
  if (ONLY_RULE !== undefined) expect(count.denied + count.warned).toBeGreaterThan(0)
  else expect(Math.min(count.denied, count.warned, count.allowed)).toBeGreaterThan(20)
})
