/** Warnings of the report: what was not simulated, what was assumed, what the numbers mean. */
import { type EffectiveAt, effectiveLimits } from '../../gateway/effective/effective.ts'
import { forceOf } from '../../gateway/force/force.ts'
import { isRouteKind, type PolicyView, type TargetKind } from '../../gateway/objects/policy.ts'
import { parentGateways } from '../../gateway/routing/attachment.ts'
import { unknownPatterns } from '../../gateway/routing/router.ts'
import { forceContext, policiesOf, type QueryWorld } from '../../queries/query-world.ts'
import type { Settings } from '../../settings/settings.ts'
import { counted } from '../../text/plural.ts'
import { fromBytes } from '../../traffic/escaping.ts'
import { columnsOf, type LogKind } from '../../traffic/log.ts'
import type { VariableGetters } from '../../traffic/variables.ts'
import type { ReadResult } from '../core/log-reading.ts'
import type { Scenario, SimulatedLimit } from '../core/plan.ts'
import { headerVariable } from '../core/request-reader.ts'
import type { Selection } from '../scenario/select.ts'
import { type LimitOutcome, limitTitle, type SimulationReport } from './report.ts'

/** Something that a reader of the report must know. */
export type Note =
  /** A limit is not simulated because the traffic has no value for these variables (without `$`). */
  | { readonly type: 'unknown-variables'; readonly limit: SimulatedLimit; readonly unknown: readonly string[] }
  /** Important notes come first. */
  | { readonly type: 'text'; readonly text: string; readonly isImportant: boolean }

const note = (text: string): Note => ({ type: 'text', text, isImportant: false })
/** A note that comes before others. */
export const important = (text: string): Note => ({ type: 'text', text, isImportant: true })

/** Notes as messages, each once. */
export function noteTexts(
  notes: readonly Note[],
  { traffic, system }: Pick<SimulationReport, 'traffic' | 'system'>,
): readonly string[] {
  const isFirst = (one: Note): boolean => one.type !== 'text' || one.isImportant
  const sorted = [...notes.filter(isFirst), ...notes.filter((one) => !isFirst(one))]
  return [...new Set(sorted.map((one) => (one.type === 'text' ? one.text : unknownText(one, traffic.type, system))))]
}

function unknownText(
  { limit, unknown }: Extract<Note, { type: 'unknown-variables' }>,
  traffic: string,
  system: SimulationReport['system'],
): string {
  const { key } = limit
  const names = unknown.map((name) => `$${name}`).join(', ')
  const [first = ''] = unknown
  return (
    `${limitTitle(limit, system)} is not simulated: the ${traffic} has no value for ${names} ` +
    `of its key ${key}; --set ${first}=VALUE sets one value for all requests`
  )
}

/** What the numbers of a report mean. */
export function outcomeNotes(report: SimulationReport, setBacks: number, reading: ReadResult): readonly Note[] {
  const limits = report.policies.flatMap((policy) => policy.limits.map((limit) => ({ policy, limit })))
  return [
    ...emptyNotes(report),
    ...reading.broken.map(({ log, reason }) => important(`${log}: ${reason}; only the part before that was simulated`)),
    ...addressNotes(reading),
    ...(setBacks > 0
      ? [
          note(
            `the times of the log go back by more than a minute ${counted(setBacks, 'time')}, which nginx treats as a changed clock; simulate the logs of one proxy at a time`,
          ),
        ]
      : []),
    ...limits.flatMap(({ policy, limit }) =>
      limitNotes(limit, limitTitle({ policy, index: limit.index }, report.system)),
    ),
  ]
}

function addressNotes({ withoutAddress, addressExample }: ReadResult): readonly Note[] {
  if (withoutAddress === 0) return []
  const example = addressExample === '' ? 'none at all' : `"${fromBytes(addressExample)}"`
  return [
    important(
      `${counted(withoutAddress, 'request has', 'requests have')} a $remote_addr that is not an address, such as ${example}: each text counts as one client; --log-format or --field names the field with the address`,
    ),
  ]
}

function emptyNotes({ totals, unmatchedReasons, policies, routes, system }: SimulationReport): readonly Note[] {
  if (totals.requests === 0) return [important('there was no request to simulate')]
  if (totals.unmatched === totals.requests) {
    const reason =
      unmatchedReasons.noRoute === 0
        ? 'nginx answers all of them with 400 before it looks at limits'
        : `none matched ${system === 'gateway' ? 'a route' : 'an API proxy'}`
    return [
      important(
        `NOTHING WAS SIMULATED: of ${counted(totals.requests, 'request')} ${reason}; --route ${system === 'gateway' ? 'KIND/NAME sends all of them to one route' : 'Proxy/NAME sends all of them to one'}`,
      ),
    ]
  }
  if (policies.length === 0)
    return [
      important(
        `no limit applies to the ${system === 'gateway' ? counted(routes.length, 'route') : counted(routes.length, 'API proxy', 'API proxies')} of this traffic: every request passes`,
      ),
    ]
  return []
}

function limitNotes(limit: LimitOutcome, which: string): readonly Note[] {
  const { evictedKeys, rejected } = limit.memory
  return [
    ...(rejected > 0
      ? [
          important(
            `${which} rejected ${counted(rejected, 'request')} because its zone had no memory for ${rejected === 1 ? 'its key' : 'their keys'}`,
          ),
        ]
      : []),
    ...(evictedKeys > 0
      ? [note(`${which}: its zone is too small for this traffic; it removed ${counted(evictedKeys, 'key')} too early`)]
      : []),
    ...(limit.withoutKey > 0
      ? [
          note(
            `${which} did not count ${counted(limit.withoutKey, 'request')} that came without a value for its key ${limit.key}`,
          ),
        ]
      : []),
  ]
}

/** Policies that are not in force. */
export function policyNotes(
  queryWorld: QueryWorld,
  { gateway, forced }: Selection,
  settings: Settings,
): readonly Note[] {
  /** The Gateway of the traffic, where a route names it. */
  const throughIt = (kind: TargetKind, name: string, { identity: { namespace } }: PolicyView) => {
    const route = isRouteKind(kind) ? queryWorld.world.routes.get(kind, namespace, name) : undefined
    const parents = route?.state === 'found' ? parentGateways(route.value, queryWorld.world) : []
    return parents.find((one) => one.namespace === gateway?.namespace && one.name === gateway?.name)
  }
  const invalid = [...queryWorld.invalid].map(([policy, { message, rejectedBy }]) =>
    important(
      rejectedBy === 'strict-client'
        ? `policy ${titleOf(policy)} is in force only if the API server drops its unknown fields: ${message}`
        : `policy ${titleOf(policy)} is not in force: ${message}`,
    ),
  )
  const context = forceContext(queryWorld, settings)
  const elsewhere = policiesOf(queryWorld.objects).flatMap(({ view }) =>
    view.namedTargets.flatMap(({ kind, name }) => {
      const force = forceOf(view, { kind, name, gateway: throughIt(kind, name, view) }, context)
      const isSaid = force.state !== 'not-in-force' || force.reason === 'invalid' || force.reason === 'conflict'
      return isSaid
        ? []
        : [
            important(
              `policy ${titleOf(view)} is not in force${isRouteKind(kind) ? ` on ${kind} ${name}` : ''}: ${force.words}`,
            ),
          ]
    }),
  )
  const withoutNamespace = policiesOf(queryWorld.objects).filter(({ view }) => view.identity.namespace === undefined)
  const rejected = queryWorld.objects.routes
    .flatMap((route) => effectiveLimits(route, queryWorld.world, settings))
    .filter((at) => forced !== undefined || (at.namespace === gateway?.namespace && at.name === gateway?.name))
    .flatMap((at) => at.notAccepted.map(conflictNote))
  return [
    ...invalid,
    ...rejected,
    ...elsewhere,
    ...(withoutNamespace.length > 0
      ? [
          important(
            `${counted(withoutNamespace.length, 'policy', 'policies')} without a namespace; --namespace NS sets it`,
          ),
        ]
      : []),
  ]
}

function conflictNote({ policy, outcome }: EffectiveAt['notAccepted'][number]): Note {
  if (outcome.state === 'undetermined')
    return important(`policy ${titleOf(policy)} is left out: whether it is in force cannot be determined`)
  const preferred = outcome.conflicts[0]?.preferred
  return note(
    `policy ${titleOf(policy)} is not in force: ${preferred ? titleOf(preferred) : 'another policy'} is preferred`,
  )
}

const titleOf = ({ identity: { namespace, name } }: PolicyView): string => `${namespace ?? '?'}/${name ?? '?'}`

const MOST_NAMES = 3
const listNames = (names: readonly string[]): string =>
  names.length > MOST_NAMES
    ? `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`
    : names.join(', ')

/** Requests whose limits depend on a port that the traffic does not have. `guessed`: their number. */
export function portNotes({ ports }: Scenario, variables: VariableGetters, guessed: number): readonly Note[] {
  if (guessed === 0) return []
  const names = ports.map(({ port, isTls }) => `${port} (${isTls ? 'HTTPS' : 'HTTP'})`)
  const why = variables('server_port')
    ? `the ports of the log are not those of the listeners, ${listNames(names)}`
    : `the traffic does not tell the ports of the listeners ${listNames(names)} apart`
  return [
    important(
      `${why}: ${counted(guessed, 'request matches', 'requests match')} on several of them, and ${guessed === 1 ? 'is' : 'are'} taken to come to one where the route does not redirect, to HTTPS first; log $server_port or $scheme, or use --set server_port=${ports[0]?.port}`,
    ),
  ]
}

/** What the matches of routes need and the traffic does not have. */
export function routingNotes({ rows }: Scenario, variables: VariableGetters): readonly Note[] {
  const hostnames = [...new Set(rows.map(({ hostname }) => hostname))].filter((hostname) => hostname !== '')
  const headers = [...new Set(rows.flatMap((row) => row.headers.map(({ name }) => name)))]
  const unknownHeaders = headers.filter((name) => !variables(headerVariable(name)))
  const withoutQuery = rows.some(({ query }) => query.length > 0) && !variables('args')
  return [
    ...(hostnames.length > 1 && !variables('host')
      ? [
          important(
            `the traffic has no host, so routes of ${listNames(hostnames)} are distinguished by path alone; --host NAME sets the host of all requests`,
          ),
        ]
      : []),
    ...(rows.some(({ method }) => method !== undefined) && !variables('request_method')
      ? [important('the traffic has no method: matches with a method never apply')]
      : []),
    ...(unknownHeaders.length > 0
      ? [
          important(
            `the traffic does not have the header ${listNames(unknownHeaders)}: matches with it never apply; --set ${headerVariable(unknownHeaders[0] ?? '')}=VALUE sets it for all requests`,
          ),
        ]
      : []),
    ...(withoutQuery ? [important('the traffic has no query: matches with a query parameter never apply')] : []),
    ...unknownPatterns(rows).map((pattern) =>
      important(`the regular expression ${pattern} is not supported here: its match never applies`),
    ),
  ]
}

/** What is assumed about the clients of a log without their addresses. */
export const clientNotes = (kind: LogKind): readonly Note[] =>
  columnsOf(kind).has('envoy_forwarded_for')
    ? [
        note(
          'the log has no address of the client: the last one in X-Forwarded-For is taken, which Envoy adds at the edge',
        ),
      ]
    : []

/** What is assumed about the times of a log. */
export function timeNotes(kind: LogKind, spread: 'even' | 'none'): readonly Note[] {
  if (!kind.fine) {
    const what =
      spread === 'even'
        ? 'the requests of each second are spread over it evenly (--spread none: all come at its beginning)'
        : 'all requests of a second come at its beginning (--spread even spreads them)'
    return [note(`the log's times are whole seconds: ${what}`)]
  }
  if (['request_time', 'start_time'].some((name) => columnsOf(kind).has(name))) return []
  return [note('the log has no $request_time: the time of a request is when it was logged, at its end')]
}
