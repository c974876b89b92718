/** The limits of an API proxy for people. */
import { describeBytes } from '../limits/size.ts'
import type { EffectiveProxy } from '../queries/proxies/effective.ts'
import { printPlace } from '../queries/proxies/find.ts'
import type { ProxyLimit } from '../queries/proxies/limit.ts'
import { counted } from '../text/plural.ts'
import { escapeUnsafe } from './characters.ts'
import { burstText, RESPONSES } from './limit.ts'
import { type RowLayout, row } from './rows.ts'

/** The sections of the report, each with its lines. */
export function proxySections(result: EffectiveProxy, layout: RowLayout): readonly (readonly string[])[] {
  const { limits, target } = result
  return [
    [layout.paint('strong', escapeUnsafe(titleOf(result)))],
    [layout.paint('file', escapeUnsafe(`in ${printPlace(target.place)}`))],
    ...(limits.length > 0
      ? limits.map((limit, index) => limitBlock(limit, index + 1, layout))
      : [row('', 'No limits apply: nginx lets every request pass.', { ...layout, indent: 1, labels: 1 })]),
    summary(result, layout),
    notes(result, { ...layout, indent: 0 }),
  ]
}

function titleOf({ target: { name, hostname, proxyVersion }, world }: EffectiveProxy): string {
  const what = name === null ? 'Policies without the name of a proxy' : `Proxy ${name}, version ${proxyVersion}`
  return `${what}${hostname === null ? '' : `, on ${hostname}`}${world === null ? '' : `, world ${world}`}`
}

/** The block of a limit; `position` counts from 1 in the order in which nginx evaluates limits. */
function limitBlock(limit: ProxyLimit, position: number, layout: RowLayout): readonly string[] {
  const { writtenAt, place } = limit
  const number = `${position}.`.padEnd(3)
  const name = layout.paint('strong', escapeUnsafe(limitName(limit)))
  const head = `${' '.repeat(layout.indent)}${number}${name}, ${escapeUnsafe(printPlace(place))}`
  const rows = [
    ['limit', `${limit.rate} ${per(limit)}${burstText(limit.burst, limit.queue)}`],
    ['rejected', rejectionText(limit)],
    ['zone', `${limit.zone}, ${describeBytes(limit.zoneBytes)}, up to ${counted(limit.zoneMaxKeys, 'key')}`],
    ['lines', linesOf(writtenAt)],
    ['default', defaultsOf(limit)],
  ]
  const inner = { ...layout, indent: layout.indent + 3 }
  return [head, ...rows.flatMap(([label = '', text = '']) => (text === '' ? [] : row(label, text, inner)))]
}

const per = ({ rateLimitBy, key }: Pick<ProxyLimit, 'rateLimitBy' | 'key'>): string => `per ${rateLimitBy} (${key})`

const limitName = ({ policy, index }: Pick<ProxyLimit, 'policy' | 'index'>): string =>
  `rate-limit[${policy}] limits[${index}]`

function rejectionText({ returnCode, rejectResponse, grpcStatusCode, grpcStatus, dryRun }: ProxyLimit): string {
  if (dryRun) return 'nothing: the policy is in dry run'
  const grpc = grpcStatus === null ? 'the connection is closed' : `clients see ${grpcStatus}`
  return `with ${returnCode}${RESPONSES[rejectResponse]}; gRPC with ${grpcStatusCode}: ${grpc}`
}

/** The lines of values: `rate 12, rateLimitBy 13, throttle 15`; all of a body are in one file. */
function linesOf({ burst, delay, noDelay, ...written }: ProxyLimit['writtenAt']): string {
  const places = Object.entries({ ...written, throttle: burst ?? delay ?? noDelay })
  return places.flatMap(([name, place]) => (place?.line ? [`${name} ${place.line}`] : [])).join(', ')
}

/** The values that the body does not set. An absent throttle is no default: then there is no burst. */
const defaultsOf = (limit: ProxyLimit): string =>
  (['rate', 'rateLimitBy', 'zoneSize', 'returnCode', 'grpcStatusCode'] as const)
    .filter((name) => limit.writtenAt[name] === null)
    .map((name) => (name === 'zoneSize' ? `${name} ${describeBytes(limit.zoneBytes)}` : `${name} ${limit[name]}`))
    .join(', ')

/** What the limits allow together, and what they take. */
function summary({ limits, lowestRates, memory }: EffectiveProxy, layout: RowLayout): readonly string[] {
  if (limits.length === 0) return []
  const rows = [
    ...lowestRates.map((lowest) => [
      'at most',
      `${lowest.rate} per ${lowest.rateLimitBy} in the long run: ${limitName(lowest)}`,
    ]),
    ['memory', `${describeBytes(memory.bytes)} in ${counted(memory.zones, 'zone')}, in each gateway`],
    ['shared', 'All routes of the proxy share the budget of each limit.'],
  ]
  return rows.flatMap(([label = '', text = '']) => row(label, text, layout))
}

function notes({ refusal, problems }: EffectiveProxy, layout: RowLayout): readonly string[] {
  const rows = [
    ...(refusal ? [`${refusedText(refusal)}. Limits with errors are left out.`] : []),
    ...problems.map(({ pointer, message, remedy }) => `It cannot be published: ${pointer}: ${message}. ${remedy}`),
  ]
  return rows.flatMap((text) => row('note', text, layout))
}

/** Why the API refuses a body: one sentence without its full stop. */
function refusedText({ errors, message }: NonNullable<EffectiveProxy['refusal']>): string {
  return `The API refuses this body: it has ${errors === 1 ? 'an error' : `${counted(errors, 'error')}, the first is`}: ${message}`
}
