/**
 * The team's own rules: `policies` of the settings, each an expression of CEL that is true of an object that is fine. They
 * see what a ValidatingAdmissionPolicy of `sluice export` sees, and are rules like all others.
 */
import { type CelExpression, compileCel, toCel } from '../cel/compile.ts'
import type { AnyRule, FindingPlace } from '../engine/rule.ts'
import { isObject, type JsonObject } from '../json/member.ts'
import { pointerTokens, valueAt } from '../json/pointer.ts'
import type { SettingsError } from '../settings/errors.ts'
import { DEFAULT_KINDS, LOCAL_PREFIX, type LocalPolicy } from '../settings/settings.ts'
import { nearest } from '../text/nearest.ts'
import { cachedBy } from '../world/cache.ts'
import type { CelVariable, CelView, Kind } from '../world/system.ts'

/** The kinds that a policy may be about, by the name under which rules judge them, and how CEL sees them. */
export type PolicyKinds = ReadonlyMap<string, CelView | undefined>

/** The kinds of systems that rules judge, always or where a rule asks for them. */
export const policyKinds = (kinds: readonly Kind[]): PolicyKinds =>
  new Map(
    kinds.flatMap((kind): [string, CelView | undefined][] => {
      const name = kind.subjects?.[0] ?? (kind.judgedOnRequest ? kind.kind : undefined)
      return name === undefined ? [] : [[name, kind.cel]]
    }),
  )

/** The variables that policies about some kinds may read: those of a view that all of them have. */
function variablesOf(kinds: readonly string[], known: PolicyKinds): readonly CelVariable[] {
  const [first, ...others] = kinds.map((kind) => known.get(kind))
  return first && others.every((view) => view === first) ? first.variables : []
}

/** What is wrong with the policies of a settings file that meets the schema, with the place in its value. */
export function policyErrors(policies: unknown, known: PolicyKinds): readonly SettingsError[] {
  const names = new Set<unknown>()
  return (Array.isArray(policies) ? policies : []).flatMap((policy: unknown, index) => {
    if (!isObject(policy)) return []
    const { name } = policy
    const isSecond = names.has(name)
    names.add(name)
    const message = `another policy has the name "${String(name)}" already`
    const pointer = `/policies/${index}`
    return isSecond ? [{ pointer: `${pointer}/name`, at: 'value', message }] : errorsOf(policy, pointer, known)
  })
}

function errorsOf(policy: JsonObject, pointer: string, known: PolicyKinds): readonly SettingsError[] {
  const { kinds = DEFAULT_KINDS, expression, messageExpression } = policy
  const written = Array.isArray(kinds) ? kinds.filter((kind) => typeof kind === 'string') : []
  const ofKinds = written.flatMap((kind, at): SettingsError[] =>
    known.has(kind)
      ? []
      : [{ pointer: `${pointer}/kinds/${at}`, at: 'value', message: unknownKind(kind, [...known.keys()]) }],
  )
  if (ofKinds.length > 0) return ofKinds
  const variables = variablesOf(written, known).map(({ name }) => name)
  const ask = (member: string, text: unknown, returns: 'bool' | 'string'): readonly SettingsError[] => {
    const outcome = typeof text === 'string' ? compileCel(text, { returns, variables }) : undefined
    if (!outcome || 'compiled' in outcome) return []
    const { message, start } = outcome.problem
    return [{ pointer: `${pointer}/${member}`, at: 'value', offset: start, message }]
  }
  return [...ask('expression', expression, 'bool'), ...ask('messageExpression', messageExpression, 'string')]
}

function unknownKind(kind: string, known: readonly string[]): string {
  const meant = nearest(kind, known)
  return `unknown kind "${kind}"; ${meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`}`
}

/** The view that a rule gets of an object of any kind. */
type AnyView = { readonly object: JsonObject }

/** What a rule of a policy gets beside the view. */
type Context = {
  readonly previous?: AnyView | undefined
  report(message: 'broken' | 'failed', at: FindingPlace, data: Readonly<Record<string, string>>): void
}

/** The policies as rules. They must have no {@link policyErrors}. */
export const localRules = (policies: readonly LocalPolicy[], known: PolicyKinds): readonly AnyRule[] =>
  policies.map((policy) => localRule(policy, variablesOf(policy.kinds, known)))

function localRule(policy: LocalPolicy, variables: readonly CelVariable[]): AnyRule {
  const { name, kinds, severity, message, remedy } = policy
  const { expression, messageExpression, readsOld } = compiled(policy, variables)
  const read = valuesOf(variables, [expression, messageExpression])
  return {
    id: LOCAL_PREFIX + name,
    severity,
    judges: kinds,
    // The old version alone makes a rule one that compares.
    ...(readsOld ? { reads: ['previous'] } : {}),
    summary: message,
    why: `A policy of the settings says so: ${policy.expression}`,
    remedy,
    source: `policies in the settings, "${name}"`,
    messages: {
      broken: '{text}',
      failed: { text: 'the expression of the policy fails: {reason}', severity: 'error' },
    },
    examples: () => ({ bad: '', good: '' }),
    cel: 'it is a policy of its own',
    check({ object }: AnyView, context: Context) {
      const values = read(object, readsOld ? context.previous?.object : undefined)
      const outcome = expression.evaluate(values)
      const at = placeIn(object, expression.pointers)
      if ('failure' in outcome) context.report('failed', at, { reason: outcome.failure })
      else if (outcome.value !== true) {
        const said = messageExpression?.evaluate(values)
        const text = said && 'value' in said && isMessage(said.value) ? said.value : message
        context.report('broken', at, { text })
      }
    },
  }
}

/** As the API server: an empty message, and one of several lines, is none. */
const isMessage = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && !value.includes('\n')

type Compiled = {
  readonly expression: CelExpression
  readonly messageExpression: CelExpression | undefined
  readonly readsOld: boolean
}

function compiled(policy: LocalPolicy, variables: readonly CelVariable[]): Compiled {
  const names = variables.map(({ name }) => name)
  const expression = compile(policy.expression, names)
  const messageExpression =
    policy.messageExpression === undefined ? undefined : compile(policy.messageExpression, names)
  const isOld = expression.readsOld || messageExpression?.readsOld === true
  const readsAny = expression.variables.length + (messageExpression?.variables.length ?? 0) > 0
  return { expression, messageExpression, readsOld: isOld || readsAny }
}

/** Compiles an expression that was checked before. Throws for one that is wrong. */
function compile(text: string, variables: readonly string[], isOwn = false): CelExpression {
  const outcome = compileCel(text, { variables, isOwn })
  if ('problem' in outcome) throw new Error(`${text}: ${outcome.problem.message}`)
  return outcome.compiled
}

type Values = Parameters<CelExpression['evaluate']>[0]

/** Makes the function that gives expressions what they read of an object: the variables that they need, each once. */
function valuesOf(
  all: readonly CelVariable[],
  expressions: readonly (CelExpression | undefined)[],
): (object: JsonObject, old: JsonObject | undefined) => Values {
  const needed = new Set(expressions.flatMap((one) => one?.variables ?? []))
  const own = all.map(({ name, expression }) => ({
    name,
    expression: compile(
      withoutOptionalEntries(expression),
      all.map((one) => one.name),
      true,
    ),
  }))
  for (const { name, expression } of own.toReversed())
    if (needed.has(name)) for (const other of expression.variables) needed.add(other)
  const used = own.filter(({ name }) => needed.has(name))
  return (object, old) => {
    const variables = new Map<string, unknown>()
    const values = { object: celOf(object), oldObject: old ? celOf(old) : null, variables }
    for (const { name, expression } of used) {
      const outcome = expression.evaluate(values)
      if ('failure' in outcome) throw new Error(`variables.${name}: ${outcome.failure}`)
      variables.set(name, withEntries(outcome.value))
    }
    return values
  }
}

/** Several policies ask about one object. */
const celOf = cachedBy(toCel)

/** The library has no entries `?'name': value`: those of variables have another name until they are made. */
const withoutOptionalEntries = (expression: string): string => expression.replace(/\?'(\w+)':/g, "'$1?':")

/** Leaves out the entries whose optional value is none. */
function withEntries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withEntries)
  if (typeof value !== 'object' || value === null || value instanceof Map || !isObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    if (!name.endsWith('?')) return [[name, withEntries(member)]]
    const known = optionalValue(member)
    return known ? [[name.slice(0, -1), withEntries(known.value)]] : []
  })
  return new Map(entries)
}

function optionalValue(optional: unknown): { readonly value: unknown } | undefined {
  if (typeof optional !== 'object' || optional === null || !('hasValue' in optional) || !('value' in optional))
    return undefined
  const { hasValue, value } = optional
  if (typeof hasValue !== 'function' || typeof value !== 'function') return undefined
  return hasValue.call(optional) === true ? { value: value.call(optional) } : undefined
}

/** The first member that the expression names, as far as the object has it; else its name. */
function placeIn(object: JsonObject, pointers: readonly string[]): FindingPlace {
  const [first = ''] = pointers
  const tokens = pointerTokens(first)
  for (let length = tokens.length; length > 1; length--) {
    const pointer = `/${first
      .split('/')
      .slice(1, length + 1)
      .join('/')}`
    if (valueAt(object, pointer) !== undefined) return pointer
  }
  return ['/metadata/name', '/name'].find((pointer) => valueAt(object, pointer) !== undefined) ?? ''
}
