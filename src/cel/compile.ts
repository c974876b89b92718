/**
 * Expressions of CEL, as the API server evaluates them in ValidatingAdmissionPolicies: compiled with their types, evaluated
 * with a bound on the work. The build makes a file of its own of this module, which only runs with such expressions load.
 */
import {
  type ASTNode,
  TypeError as CelTypeError,
  Environment,
  EvaluationError,
  Optional,
  ParseError,
} from '@marcbachmann/cel-js'
import { CelFailure, costProblem, FUNCTIONS, nameIn, OWN, SETS, spend, startCounting } from './functions.ts'
import { type CelProblem, readNames } from './names.ts'

/** A value, or the reason why there is none. */
type CelOutcome = { readonly value: unknown } | { readonly failure: string }

/** An expression that can be evaluated. */
export type CelExpression = {
  /** The variables that it reads, without `variables.`. */
  readonly variables: readonly string[]
  readonly readsOld: boolean
  /** JSON Pointers of the members of `object` that it names, in order. */
  readonly pointers: readonly string[]
  /** Evaluates it. Never throws for what the object holds. Values are those of {@link toCel}. */
  evaluate(values: CelValues): CelOutcome
}

/** What an expression reads: `object`, `oldObject`, and the values of `variables` by name. */
type CelValues = {
  readonly object: unknown
  readonly oldObject: unknown
  readonly variables: ReadonlyMap<string, unknown>
}

export type CompileOptions = {
  /** The type that the value must have; without it any. */
  readonly returns?: 'bool' | 'string'
  /** The names of `variables`. */
  readonly variables?: readonly string[]
  /** True for an expression of this program: lists and maps may have values of several types. */
  readonly isOwn?: boolean
}

/** A value of JSON as one of CEL: whole numbers are integers, mappings have any names. */
export function toCel(value: unknown): unknown {
  if (typeof value === 'number') return isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(toCel)
  if (typeof value !== 'object' || value === null) return value ?? null
  return new Map(Object.entries(value).map(([name, member]) => [name, toCel(member)]))
}

const isInteger = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 63

/** Compiles an expression, or says what is wrong with it. */
export function compileCel(
  expression: string,
  options: CompileOptions = {},
): { readonly compiled: CelExpression } | { readonly problem: CelProblem } {
  const { returns, variables = [], isOwn = false } = options
  const library = libraryOf(isOwn)
  try {
    library.environment.parse(expression)
    // What is not the root is evaluated by the evaluator that counts: it has a list around it, and the comment its end.
    const parsed = library.environment.parse(`[${expression}\n][0]`)
    const found = readNames(parsed.ast, { variables: new Set(variables), compared: library.compared })
    if ('problem' in found) return { problem: { ...found.problem, start: found.problem.start - 1 } }
    const { valid, type, error } = parsed.check()
    if (!valid || type === undefined) {
      // The arguments of format() are a list of any values.
      const isFormat = !isOwn && error?.code.startsWith('heterogeneous') && /\.format\(/.test(expression)
      return isFormat
        ? compileCel(expression, { ...options, isOwn: true })
        : { problem: problemOf(error, expression, 1) }
    }
    if (returns !== undefined && type !== returns)
      return { problem: { message: `must be ${NAMES[returns]}, and this is of type ${type}`, start: 0 } }
    const { reads } = found
    return {
      compiled: {
        variables: [...reads.variables],
        readsOld: reads.old,
        pointers: [...reads.pointers],
        evaluate: (values) => library.evaluate(parsed, values),
      },
    }
  } catch (error) {
    return { problem: problemOf(error, expression) }
  }
}

const NAMES = { bool: 'true or false', string: 'a string' }

/** Both environments are made when the first expression is compiled. */
const made = new Map<boolean, Library>()

type Library = ReturnType<typeof createLibrary>

function libraryOf(isOwn: boolean): Library {
  const known = made.get(isOwn) ?? createLibrary(isOwn)
  made.set(isOwn, known)
  return known
}

/** Stands for `sets`. */
class Sets {}

/** What evaluates the parts of expressions; the library hands it to the functions that it calls. */
type Evaluator = { run(part: ASTNode, context: unknown): unknown }

const isEvaluator = (value: unknown): value is Evaluator =>
  typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function'

function createLibrary(isOwn: boolean) {
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: !isOwn,
    unlistedVariablesAreDyn: false,
  })
  for (const name of ['object', 'oldObject', 'variables']) environment.registerVariable(name, 'dyn')
  for (const [signature, run] of FUNCTIONS)
    environment.registerFunction(
      signature.replace(`${nameIn(signature)}(`, (name) => OWN + name),
      run,
    )
  environment.registerType('SetsNamespace', Sets).registerConstant('sets', 'SetsNamespace', new Sets())
  for (const [signature, run] of SETS) environment.registerFunction(`SetsNamespace.${signature}`, run)
  environment.registerFunction('OptionalNamespace.ofNonZeroValue(dyn): optional<dyn>', (_: unknown, value: unknown) =>
    isZero(value) ? Optional.none() : Optional.of(value),
  )
  environment.registerFunction('optional.optMap(ast, ast): optional<dyn>', optionalMacro(false), { async: false })
  environment.registerFunction('optional.optFlatMap(ast, ast): optional<dyn>', optionalMacro(true), { async: false })
  const compared = countSteps(environment)
  return {
    environment,
    compared,
    evaluate(parsed: (context: object) => unknown, { object, oldObject, variables }: CelValues): CelOutcome {
      startCounting()
      try {
        const value = parsed({ object, oldObject, variables })
        const failure = costProblem()
        return failure === undefined ? { value } : { failure }
      } catch (error) {
        return { failure: costProblem() ?? failureOf(error) }
      }
    },
  }
}

const isZero = (value: unknown): boolean =>
  value === null ||
  value === false ||
  value === '' ||
  value === 0 ||
  value === 0n ||
  (Array.isArray(value) && value.length === 0) ||
  (value instanceof Map && value.size === 0)

/**
 * Counts the steps of the environment's evaluator; once there are too many, every further one throws. Returns the set for
 * the parts whose values are compared as a whole, to which the caller adds.
 */
function countSteps(environment: Environment): WeakSet<ASTNode> {
  let evaluator: unknown
  environment.registerFunction(`${OWN}self(dyn): dyn`, function (this: unknown, value: unknown) {
    evaluator = this
    return value
  })
  environment.evaluate(`${OWN}self(object)`, { object: null, oldObject: null, variables: new Map() })
  if (!isEvaluator(evaluator)) throw new Error('the library does not hand its evaluator to functions any more')
  const run = evaluator.run.bind(evaluator)
  const compared = new WeakSet<ASTNode>()
  const counted: Evaluator['run'] = (part, context) => {
    spend(1)
    const value = run(part, context)
    if (typeof value === 'string' || Array.isArray(value)) spend(value.length / 10)
    if (compared.has(part)) spend(weightOf(value) / 10)
    rejectNameOfList(part, value, (from) => counted(from, context))
    return value
  }
  evaluator.run = counted
  return compared
}

/** How many values there are in a value of an object; each is counted once. */
const weights = new WeakMap<object, number>()

function weightOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  const known = weights.get(value)
  if (known !== undefined) return known
  const items: readonly unknown[] = Array.isArray(value) ? value : value instanceof Map ? [...value.values()] : []
  const weight = items.reduce<number>((sum, item) => sum + weightOf(item), 1)
  weights.set(value, weight)
  return weight
}

/** A list has no members by name. The API server does not take them for absent, as the library does. */
function rejectNameOfList(part: ASTNode, value: unknown, evaluate: (part: ASTNode) => unknown): void {
  const asked = part.op === '.?' && value instanceof Optional && !value.hasValue() ? part.args[0] : undefined
  const given = asked ? evaluate(asked) : memberAsked(part, value, evaluate)
  const list = given instanceof Optional && given.hasValue() ? given.value() : given
  if (Array.isArray(list)) throw new CelFailure("unsupported index type 'string' in list")
}

/** The value that `has(value.name)` looks into; the library evaluates the first part alone as one of the expression. */
function memberAsked(part: ASTNode, value: unknown, evaluate: (part: ASTNode) => unknown): unknown {
  if (part.op !== 'call' || part.args[0] !== 'has' || value !== false) return undefined
  const names: string[] = []
  let from = part.args[1][0]
  while (from?.op === '.' || from?.op === '.?') {
    names.unshift(from.args[1])
    from = from.args[0]
  }
  let given = from && evaluate(from)
  for (const name of names.slice(0, -1)) given = given instanceof Map ? given.get(name) : undefined
  return given
}

/** What the library hands to macros, as far as it is used here. */
type MacroCall = { readonly args: readonly [ASTNode, ASTNode]; readonly receiver: ASTNode }
type Scope = {
  forkWithVariable(name: string, type: unknown): Scope
  reuse(context: unknown): { setIterValue(value: unknown, evaluator: Evaluator): unknown }
}
type Type = { readonly kind: string; readonly valueType?: Type }
type Checker = {
  check(part: ASTNode, context: Scope): Type
  getType(name: string): Type
  createError(code: string, message: string, part: ASTNode): Error
  readonly registry: { getOptionalType(type: Type): Type }
}

/** `x.optMap(name, value)`, and with `isFlat` `x.optFlatMap(name, optional)`. */
const optionalMacro =
  (isFlat: boolean) =>
  ({ args: [name, result], receiver }: MacroCall) => {
    let scope: Scope | undefined
    return {
      typeCheck(checker: Checker, _: unknown, context: Scope): Type {
        if (name.op !== 'id')
          throw checker.createError('invalid_macro_argument', 'expected the name of a variable', name)
        const type = checker.check(receiver, context)
        if (type.kind !== 'optional' && type.kind !== 'dyn')
          throw checker.createError('optional_expected', 'expected an optional value', receiver)
        scope = context.forkWithVariable(name.args, type.valueType ?? checker.getType('dyn'))
        const inner = checker.check(result, scope)
        return isFlat ? inner : checker.registry.getOptionalType(inner)
      },
      evaluate(evaluator: Evaluator, _: unknown, context: unknown): unknown {
        const given = evaluator.run(receiver, context)
        if (!(given instanceof Optional)) throw new CelFailure('no such overload')
        if (!given.hasValue() || !scope) return given
        const value = evaluator.run(result, scope.reuse(context).setIterValue(given.value(), evaluator))
        return isFlat ? value : Optional.of(value)
      },
      async: false,
    }
  }

/** The words of the library as those of the API server. */
const inWords = (summary: string): string =>
  summary
    .replaceAll(OWN, '')
    .replace(/^No such key: (\d+)$/, 'index out of bounds: $1')
    .replace(/^No such key/, 'no such key')
    .replace('Unexpected token: EOF', 'something is missing at the end')
    .replace(/^Unknown variable: (.*)$/s, 'there is no variable $1: a policy reads object, oldObject and variables')

/** `before` are the characters before the expression. */
function problemOf(error: unknown, expression: string, before = 0): CelProblem {
  if (error instanceof ParseError || error instanceof CelTypeError) {
    const { summary, range } = error
    const isOptionalEntry = summary === 'Unexpected token: QUESTION'
    const message = isOptionalEntry
      ? 'optional entries ({?name: …}, [?item]) cannot be evaluated here'
      : inWords(summary)
    return { message, start: Math.min(Math.max((range?.start ?? 0) - before, 0), expression.length) }
  }
  if (error instanceof RangeError) return { message: 'it is nested too deeply', start: 0 }
  throw error
}

/** Why an evaluation fails. */
function failureOf(error: unknown): string {
  if (error instanceof EvaluationError) return inWords(error.summary)
  if (error instanceof CelFailure) return error.message
  if (error instanceof RangeError) return 'it is nested too deeply'
  throw error
}
