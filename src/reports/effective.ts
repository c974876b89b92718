/** The result of `sluice effective` as text and as JSON. */

import { describeBytes } from '../limits/size.ts'
import { type AttachedRoute, type EffectiveResult, type GatewayPath, isOfProxy } from '../queries/effective.ts'
import type { LimitDescription, LimitRef, PolicyName } from '../queries/limit.ts'
import type { EffectiveProxy } from '../queries/proxies/effective.ts'
import { type PolicyConflict, PRECEDENCE } from '../queries/request-path.ts'
import { counted } from '../text/plural.ts'
import { escapeUnsafe } from './characters.ts'
import { proxySections } from './effective-proxy.ts'
import { burstText, RESPONSES } from './limit.ts'
import { displayName, listed, type PageContext, pageWidth, type RowLayout, row } from './rows.ts'
import { createPaint, type Paint } from './style.ts'

/** The result as JSON: a contract, version 1 (schemas/effective.schema.json). */
export const effectiveJson = (result: EffectiveResult | EffectiveProxy): string =>
  `${JSON.stringify(result, null, 2)}\n`

/** The result for people. */
export function effectiveText(result: EffectiveResult | EffectiveProxy, { color, width }: PageContext): string {
  const paint = createPaint(color)
  const layout: RowLayout = { paint, width: pageWidth(width), indent: 2, labels: 10 }
  const sections = isOfProxy(result) ? proxySections(result, layout) : gatewaySections(result, layout)
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => `${lines.join('\n')}\n`)
  return texts.join('\n')
}

function gatewaySections(result: EffectiveResult, layout: RowLayout): readonly (readonly string[])[] {
  const { paint } = layout
  return [
    [title(result, paint)],
    ...result.requestPaths.flatMap((path) => pathSections(result, path, layout)),
    ...routeSections(result.routes, layout),
    noteRows(result, { ...layout, indent: 0 }),
  ]
}

function title({ target: { kind, namespace, name }, world }: EffectiveResult, paint: Paint): string {
  return paint(
    'strong',
    escapeUnsafe(`${kind} ${displayName({ namespace, name })}${world === null ? '' : `, world ${world}`}`),
  )
}

/** A heading, a block for each limit, and a summary. */
function pathSections(result: EffectiveResult, path: GatewayPath, layout: RowLayout): readonly (readonly string[])[] {
  const { limits } = path
  const none = whyNoLimits(result, path)
  return [
    [layout.paint('file', escapeUnsafe(heading(result, path)))],
    ...(limits.length > 0
      ? limits.map((limit, index) => limitBlock(limit, index + 1, layout))
      : [sentence(none, layout)]),
    summary(path, layout),
  ]
}

function whyNoLimits(result: EffectiveResult, { gateway, attachment }: GatewayPath): string {
  if (gateway?.isForeign) return 'No limits apply: the controller of the Gateway applies no RateLimitPolicy.'
  if (isAbsent(result)) return `No limits apply: the ${result.target.kind} does not exist.`
  if (result.target.kind === 'Gateway') return 'No limits on the Gateway itself.'
  const why = attachment === 'rejected' ? 'the route gets no requests' : 'nginx lets every request pass'
  return `No limits apply: ${why}.`
}

/** True where it is certain that the object does not exist. */
const isAbsent = ({ target, complete }: EffectiveResult): boolean => !target.found && complete

/** A sentence without a label. */
const sentence = (text: string, layout: RowLayout): readonly string[] =>
  row('', text, { ...layout, indent: 1, labels: 1 })

function heading(result: EffectiveResult, { gateway, attachment, listeners }: GatewayPath): string {
  const { target } = result
  if (!gateway && isAbsent(result)) return 'behind no Gateway'
  if (!gateway)
    return attachment === 'rejected'
      ? 'behind no Gateway: none accepts the route'
      : 'behind Gateways that are not in these files'
  const name = `Gateway ${displayName(gateway)}`
  const preposition = target.kind === 'Gateway' ? 'at' : 'behind'
  if (gateway.isForeign) return `${preposition} ${name}, which belongs to another controller`
  if (!gateway.found) return `${preposition} ${name}, which is not in these files`
  if (target.kind === 'Gateway') return `at ${name}`
  if (attachment === 'unknown') return `behind ${name}, if it accepts the route`
  const addresses = listeners.map((listener) => {
    const port = listener.port === null ? '' : `:${listener.port}`
    const set = listener.listenerSet
    const through = set ? ` through ${set.kind} ${displayName(set)}` : ''
    return `${listed(listener.hostnames.map((hostname) => hostname || '*'))}${port}${through}`
  })
  return `behind ${name}: ${[...new Set(addresses)].join(', ')}`
}

/** The block of a limit; `position` counts from 1 in the order in which nginx evaluates limits. */
function limitBlock(limit: LimitDescription, position: number, layout: RowLayout): readonly string[] {
  const { level, sharedWith } = limit
  const where = level === 'gateway' ? 'on the Gateway' : 'on the route'
  const number = `${position}.`.padEnd(3)
  const head = `${' '.repeat(layout.indent)}${number}${layout.paint('strong', escapeUnsafe(limitName(limit)))}, ${where}`
  const inner = { ...layout, indent: layout.indent + 3 }
  const rows = [
    ['limit', `${limit.rate} ${perKey(limit.key)}${burstText(limit.burst, limit.queue)}`],
    ['rejected', rejectionText(limit)],
    ['logged', logText(limit)],
    ['zone', zoneText(limit)],
    ...(sharedWith.length > 0 ? [['shared', `one budget with ${listed(sharedWith)}`]] : []),
    ...keyNotes(limit).map((note) => ['note', note]),
  ]
  return [head, ...rows.flatMap(([label = '', text = '']) => row(label, text, inner))]
}

/** A key without variables is the same for all requests; it is written in quotes. */
const perKey = (key: string): string => (key.includes('$') ? `per ${key}` : `for the key "${key}"`)

function rejectionText({ dryRun, rejectCode, rejectResponse, grpcStatus, setBy, policy }: LimitDescription): string {
  if (dryRun) return `never: in a dry run${setElsewhere(setBy.dryRun, policy)} nginx only counts and logs`
  const forGrpc = grpcStatus === null ? '' : `; gRPC clients see ${grpcStatus}`
  return `with ${rejectCode}${setElsewhere(setBy.rejectCode, policy)}${RESPONSES[rejectResponse]}${forGrpc}`
}

/** Where a setting comes from, unless it comes from the policy of the limit. */
function setElsewhere(from: PolicyName | null, { namespace, name }: PolicyName): string {
  if (from === null) return ' (the default)'
  return from.namespace === namespace && from.name === name ? '' : ` (set by ${displayName(from)})`
}

function logText({ logLevel, delayLogLevel, dryRun, setBy, policy }: LimitDescription): string {
  const delays = delayLogLevel === null ? '' : `, delays at ${delayLogLevel}`
  const dry = dryRun ? ', marked "dry run"' : ''
  return `in the error log: rejections at ${logLevel}${delays}${setElsewhere(setBy.logLevel, policy)}${dry}`
}

function zoneText({ zone, zoneBytes, zoneMaxKeys }: LimitDescription): string {
  if (zoneBytes === null) return `${zone}: its size is not valid`
  const keys = zoneMaxKeys === null ? '' : `, ${zoneMaxKeys === 1 ? '' : 'up to '}${counted(zoneMaxKeys, 'key')}`
  return `${zone}, ${describeBytes(zoneBytes)}${keys}`
}

function keyNotes({ appliesTo, constantKey }: LimitDescription): readonly string[] {
  if (appliesTo === null) return ['the key is not valid, or nginx does not know its variables']
  if (appliesTo === 'none') return ['the key is always empty: no request is limited']
  if (constantKey) return ['all clients share one budget']
  return appliesTo === 'some' ? ['requests without a value for the key are not limited'] : []
}

/** What the limits allow together, what they take, and what is not applied. */
function summary(
  { lowestRates, memory, replaced, conflicts, limits }: GatewayPath,
  layout: RowLayout,
): readonly string[] {
  const rows = [
    ...lowestRates.map((lowest) => [
      'at most',
      `${lowest.rate} ${perKey(lowest.key)} in the long run: ${limitName(lowest)}`,
    ]),
    ...(limits.length > 0 && memory.zones > 0
      ? [['memory', `${describeBytes(memory.bytes)} in ${counted(memory.zones, 'zone')}, in each proxy`]]
      : []),
    ...replaced.map((limit) => ['replaced', `${limitName(limit)}, by the limits of the route`]),
    ...conflicts.map((conflict) => ['conflict', conflictText(conflict)]),
  ]
  return rows.flatMap(([label = '', text = '']) => row(label, text, layout))
}

const limitName = ({ policy, index }: LimitRef): string => `${displayName(policy)} rules[${index}]`

function conflictText({ rejected, preferred, fields, decidedBy, target, certain }: PolicyConflict): string {
  const verb = certain ? 'is rejected' : 'may be rejected'
  const doubt = certain ? '' : '; the order of targets decides, because that policy may be rejected itself'
  return (
    `${displayName(rejected)} ${verb}: conflicts with ${displayName(preferred)}, which ${PRECEDENCE[decidedBy]}, ` +
    `in ${listed(fields)} on ${target.kind}/${target.name}${doubt}`
  )
}

function routeSections(attached: readonly AttachedRoute[], layout: RowLayout): readonly (readonly string[])[] {
  if (attached.length === 0) return []
  const lines = attached.map(({ kind, namespace, name, attachment, ownLimits, replacesGatewayLimits }) => {
    const own = ownLimits === 0 ? 'no limits of its own' : `${counted(ownLimits, 'limit')} of its own`
    const effect = replacesGatewayLimits ? ', in place of those of the Gateway' : ''
    const doubt = attachment === 'unknown' ? ', if the Gateway accepts it' : ''
    return sentence(`${kind} ${displayName({ namespace, name })}: ${own}${effect}${doubt}`, layout)
  })
  return [[layout.paint('file', 'routes behind it')], lines.flat()]
}

const COMPOSITIONS: Readonly<Record<EffectiveResult['composition'], string>> = {
  stack: 'stack: the limits of Gateway and route both apply',
  inherit: 'inherit: the limits of a route replace those of its Gateway',
}

const INCOMPLETE = {
  open: 'Policies that are not in these files may add limits; --closed-world says that there are none.',
  leftOut: 'What is left out of these files, and policies that are not in them, may add limits.',
  closed: 'Some objects are defined more than once or have no namespace; they may add limits.',
} as const

function invalidText({ errors, message, rejectedBy, ...policy }: EffectiveResult['invalidPolicies'][number]): string {
  const what = `${errors === 1 ? 'an error' : `${counted(errors, 'error')}, the first is`}: ${message}`
  return `${displayName(policy)} ${INVALID[rejectedBy]}: it has ${what}.`
}

/** Reasons of which the report has rows of their own. */
const SAID: ReadonlySet<EffectiveResult['notInForce'][number]['reason']> = new Set(['invalid', 'conflict'])

const notInForceText = ({ target, message, ...policy }: EffectiveResult['notInForce'][number]): string =>
  `${displayName(policy)} is not in force${target.kind === 'Gateway' ? '' : ` on ${target.kind} ${target.name}`}: ${message}.`

const INVALID: Readonly<Record<EffectiveResult['invalidPolicies'][number]['rejectedBy'], string>> = {
  'api-server': 'is not applied',
  nginx: 'takes part in conflicts, but nginx rejects it, so its limits and settings are left out',
  'strict-client': 'is applied only if the API server drops its unknown fields',
}

function noteRows(result: EffectiveResult, layout: RowLayout): readonly string[] {
  const { composition, complete, closedWorld, invalidPolicies, notJudged, rejectedBy, target } = result
  const rows = [
    ...(target.onlyRedirects
      ? [['note', 'Every rule of the route redirects; nginx sends redirects before it evaluates limits.']]
      : []),
    ...rejectedBy.map(({ message, ...gateway }) => [
      'note',
      `Gateway ${displayName(gateway)} does not accept the route: it ${message}.`,
    ]),
    ...result.notInForce.filter(({ reason }) => !SAID.has(reason)).map((one) => ['note', notInForceText(one)]),
    ...invalidPolicies.map((invalid) => ['note', invalidText(invalid)]),
    ...(complete ? [] : [['note', INCOMPLETE[closedWorld ? 'closed' : notJudged.length > 0 ? 'leftOut' : 'open']]]),
    ['composed', `${COMPOSITIONS[composition]}.`],
  ]
  return rows.flatMap(([label = '', text = '']) => row(label, text, layout))
}
