/** Plans that a body becomes an environment: it is judged as that of a proxy, and what it means for its proxies is told. */
import { withHashes, withKeptKeys } from '../../api-management/keys.ts'
import { publicationProblems } from '../../api-management/render/plan.ts'
import { toStoredPolicies } from '../../api-management/stored-form.ts'
import type { JsonObject } from '../../json/member.ts'
import { escapeToken } from '../../json/pointer.ts'
import { isSameValue } from '../../json/same.ts'
import type { Change, Environment, EnvironmentEntry, HistoryAction } from '../../store/store.ts'
import { nearestInAnyCase } from '../../text/nearest.ts'
import { type Call, type Plan, refused } from './call.ts'
import { contextRemarks, GLOBAL } from './context.ts'
import { correlationHeaderOf } from './correlation.ts'
import { checkPreconditions } from './entity-tags.ts'
import { type EnvironmentChange, policiesIn, shownWithStatus } from './environment-status.ts'
import { eventOf } from './events.ts'
import type { BodyJudge, Remark } from './judge.ts'
import type { HandlerOptions } from './planner.ts'
import { OWN_GATEWAY, PUBLISHING } from './publication.ts'
import { allErrors } from './remarks.ts'
import { recordOf } from './removal.ts'
import { filledWords, type Notes } from './stored-proxy.ts'
import { tagOf } from './workspaces.ts'

/** A body that is to be stored. */
export type SavingEnvironment = {
  readonly call: Call
  readonly workspace: string
  readonly name: string
  /** Its `gateways` and `policies`. */
  readonly body: JsonObject
  readonly bodyErrors: readonly Remark[]
  /** What it replaces. */
  readonly before: Environment | undefined
  readonly action: HistoryAction
  /** The revision that is restored, with the gateways that it had. */
  readonly restored?: Pick<EnvironmentEntry, 'revision'> & { readonly gateways: readonly string[] }
}

/** Plans to store it, or with `dryRun` only what that would give. Throws 400 and 412. */
export async function planToSaveEnvironment(saving: SavingEnvironment, options: HandlerOptions): Promise<Plan> {
  const { call, workspace, name, before, action } = saving
  const { store } = options
  const { settings, notes } = accepted(saving, options)
  if (action !== 'created') checkPreconditions(call.headers, before && tagOf(before))
  // The revisions of one that was deleted go on.
  const [last] = before ? [before] : await store.environmentHistory({ workspace, name }, { limit: 1 })
  const isKept = before !== undefined && action === 'changed' && isSame(before, settings)
  const value: Environment = isKept ? before : { workspace, name, ...settings, revision: (last?.revision ?? 0) + 1 }
  if (call.query.dryRun === true)
    return { reply: { status: 200, body: await tried(value, options, { before, notes }) } }
  if (isKept)
    return { reply: { status: 200, headers: { etag: tagOf(value) }, body: await kept(value, options, notes) } }
  const body = await shownWithStatus(value, options, { before, notes })
  const by = call.principal.name
  const now = options.wallClock()
  const proxies = before ? (await store.proxyHeads(workspace)).filter(({ environment }) => environment === name) : []
  const location = `/infrastructure/workspaces/${workspace}/environments/${name}`
  return {
    reply: {
      status: before ? 200 : 201,
      headers: { ...(before ? {} : { location }), etag: tagOf(value) },
      body,
    },
    changes: [
      { put: 'environment', value, expected: before?.revision },
      recordOf(value, { at: now, by, action, restoredFrom: saving.restored?.revision }),
      // Its policies apply to all of them.
      ...proxies.map(({ id, revision }): Change => ({ put: 'state', id, expected: revision, value: PUBLISHING })),
      eventOf(`environment.${action}`, now, workspace, { name, by, revision: value.revision }),
    ],
  }
}

type Settings = Pick<Environment, 'gateways' | 'policies'>

/** True where nothing would change, however the members of the policies are ordered. */
const isSame = (before: Settings, { gateways, policies }: Settings): boolean =>
  isSameValue(before.gateways, gateways) && isSameValue(before.policies, policies)

/** What stays as it is, with what is said of it. */
async function kept(value: Environment, options: HandlerOptions, notes: Notes) {
  const { status, ...shown } = await shownWithStatus(value, options)
  return { ...shown, status: { ...status, ...notes } }
}

/** What a change would do, with what nginx says of it. */
async function tried(value: Environment, options: HandlerOptions, change: EnvironmentChange) {
  const isServed = value.gateways.includes(OWN_GATEWAY)
  const refusal = isServed ? await options.publication.refusalOf(value.policies) : undefined
  if (refusal === undefined) return await shownWithStatus(value, options, change)
  const { warnings = [], ...notes } = change.notes
  const refused = {
    rule: 'publication',
    pointer: '/policies',
    message: `nginx refuses these policies: ${refusal}`,
    remedy: 'Change what it names; until then the form that it accepted last stays in force.',
  }
  return await shownWithStatus(value, options, {
    ...change,
    refusal,
    notes: { warnings: [...warnings, refused], ...notes },
  })
}

type Accepted = { readonly settings: Settings; readonly notes: Notes }

/** What is stored of a body, and what is said of it. Throws 400. */
function accepted(saving: SavingEnvironment, { judge, publication }: HandlerOptions): Accepted {
  const { call, workspace, name, before, bodyErrors } = saving
  const { gateways: listed = [] } = saving.body
  const gateways = Array.isArray(listed) ? listed.map(String) : []
  const policies = saving.body.policies ?? {}
  call.correlate(correlationHeaderOf({ policies }))
  const ofRules = judgedPolicies({ policies }, judge)
  const kept = before ? withKeptKeys({ policies }, { policies: before.policies }) : { policies }
  const problems = publicationProblems(kept).map((problem) => ({ rule: 'publication', ...problem }))
  const named = gatewayRemarks(gateways, {
    known: [...(before?.gateways ?? []), ...(saving.restored?.gateways ?? [])],
    hasGateway: publication.hasGateway,
  })
  const all = [named.errors, problems, bodyErrors].reduce(allErrors, ofRules.errors)
  if (all.length > 0) throw refused(all)
  const { policies: stored, filled } = toStoredPolicies(policiesIn(withHashes(kept, `${workspace}/${name}`)))
  const context = contextRemarks({ policies }, GLOBAL)
  return {
    settings: { gateways, policies: stored },
    notes: {
      warnings: [
        ...named.warnings,
        ...ofRules.warnings,
        ...context.warnings,
        ...withoutEffect(policiesIn({ policies })),
      ],
      notes: [
        ...filled.map(({ pointer, value }) => ({ pointer, message: filledWords(pointer, value) })),
        ...context.notes,
      ],
    },
  }
}

/** Clients are authenticated by policies of proxies, so that nothing is missing here. */
const OF_PROXIES = 'api-management/consumer-without-authentication'

function judgedPolicies(body: JsonObject, judge: BodyJudge): ReturnType<BodyJudge> {
  const { errors, warnings } = judge(body)
  return { errors, warnings: warnings.filter(({ rule }) => rule !== OF_PROXIES) }
}

/** The policies that an environment gives to its proxies. */
const APPLIED: readonly string[] = ['rate-limit', 'request-correlation-id']

const withoutEffect = (policies: JsonObject): readonly Remark[] =>
  Object.keys(policies)
    .filter((policy) => !APPLIED.includes(policy))
    .map((policy) => ({
      rule: 'environment',
      pointer: `/policies/${escapeToken(policy)}`,
      message: `${JSON.stringify(policy.slice(0, 200))} of an environment has no effect: it protects no proxy`,
      remedy: 'Add it to each proxy that needs it.',
    }))

type Gateways = {
  /** Those that were named before: what is stored stays. */
  readonly known: readonly string[]
  /** True where this server runs a gateway, which is then the only one there is. */
  readonly hasGateway: boolean
}

/**
 * Gateways that there are not: an error where this server runs one, or where the one that it would run is meant. Else their
 * names may be those of others, who read the API.
 */
function gatewayRemarks(gateways: readonly string[], { known, hasGateway }: Gateways) {
  const [errors, warnings]: [Remark[], Remark[]] = [[], []]
  for (const [index, gateway] of gateways.entries()) {
    if (gateway === OWN_GATEWAY) continue
    const isMeant = nearestInAnyCase(gateway.slice(0, 100), [OWN_GATEWAY]) !== undefined
    const isRefused = !known.includes(gateway) && (hasGateway || isMeant)
    const said = {
      rule: 'environment',
      pointer: `/gateways/${index}`,
      message: `there is no gateway ${JSON.stringify(gateway)}`,
      remedy: isMeant
        ? `Did you mean "${OWN_GATEWAY}"?`
        : `Write "${OWN_GATEWAY}", the nginx of this server, or remove it.`,
    }
    if (isRefused) errors.push(said)
    else warnings.push({ ...said, message: `this server knows no gateway ${JSON.stringify(gateway)}` })
  }
  return { errors, warnings }
}
