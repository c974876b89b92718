/** The names in an expression: which variables and members it reads, and which functions it calls. */
import type { ASTNode } from '@marcbachmann/cel-js'
import { compileLinear } from '../text/linear.ts'
import { FUNCTIONS, KEPT, nameIn, OWN, SETS } from './functions.ts'

/** What is wrong with an expression, and where in it. */
export type CelProblem = { readonly message: string; readonly start: number }

/** What an expression reads. */
type Reads = { old: boolean; readonly variables: Set<string>; readonly pointers: Set<string> }

type Names = { readonly variables: ReadonlySet<string>; readonly compared: WeakSet<ASTNode> }

const OWN_NAMES: ReadonlySet<string> = new Set(
  FUNCTIONS.map(([signature]) => nameIn(signature)).concat(SETS.map(([signature]) => `sets.${nameIn(signature)}`)),
)

/** Functions of the API server that cannot be evaluated without it, or that the library lacks. */
const LACKING: ReadonlySet<string> = new Set(
  'quantity isQuantity url isURL ip isIP cidr isCIDR semver isSemver named validate flatten slice distinct sort sortBy reverse range authorizer path group resource check allowed quote transformList transformMap transformMapEntry existsOne'.split(
    ' ',
  ),
)

/** Values of the API server that are not there without a request. */
const OF_REQUESTS: readonly string[] = ['request', 'authorizer', 'namespaceObject', 'params']

/** What is wrong with a name. */
class Unknown extends Error {
  readonly start: number
  constructor(message: string, start: number) {
    super(message)
    this.start = start
  }
}

type Visit = Names & { readonly reads: Reads; readonly bound: Set<string> }

/** Finds what an expression reads, and gives functions that this program has itself their own names. */
export function readNames(root: ASTNode, names: Names): { readonly problem: CelProblem } | { readonly reads: Reads } {
  const reads: Reads = { old: false, variables: new Set(), pointers: new Set() }
  try {
    visit(root, { ...names, reads, bound: new Set() })
    return { reads }
  } catch (error) {
    if (!(error instanceof Unknown)) throw error
    return { problem: { message: error.message, start: error.start } }
  }
}

function visit(node: ASTNode, state: Visit): void {
  if (node.op === 'id') visitName(node.args, node.start, state)
  else if (node.op === '.' || node.op === '.?') visitMember(node, state)
  else if (node.op === 'call') visitCall(node, state)
  else if (node.op === 'rcall') visitMethod(node, state)
  else {
    const parts = partsOf(node)
    if (COMPARISONS.has(node.op)) for (const one of parts) state.compared.add(one)
    visitAll(parts, state)
  }
}

/** The parts of a node that is neither a name, nor a member, nor a call. */
function partsOf(node: Exclude<ASTNode, { readonly op: 'id' | '.' | '.?' | 'call' | 'rcall' }>): readonly ASTNode[] {
  if (node.op === 'value') return []
  if (node.op === '!_' || node.op === '-_') return [node.args]
  return node.op === 'map' ? node.args.flat() : node.args
}

function visitCall(node: Extract<ASTNode, { readonly op: 'call' }>, state: Visit): void {
  const [name, args] = node.args
  node.args[0] = known(name, args.length, node, false)
  rejectPattern(name, args)
  visitAll(args, state)
}

function visitMethod(node: Extract<ASTNode, { readonly op: 'rcall' }>, state: Visit): void {
  const [name, receiver, args] = node.args
  const isSets = receiver.op === 'id' && receiver.args === 'sets'
  if (!isSets) visit(receiver, state)
  node.args[0] = known(name, args.length, node, isSets)
  rejectPattern(name, args)
  visitAll(argumentsOf(name, args, state), state)
}

function visitAll(nodes: readonly ASTNode[], state: Visit): void {
  for (const node of nodes) visit(node, state)
}

/** The first argument of a macro names its variable. */
function argumentsOf(name: string, args: readonly ASTNode[], { bound }: Visit): readonly ASTNode[] {
  const [variable] = args
  if (!MACROS.has(name)) return args
  if (variable?.op === 'id') bound.add(variable.args)
  return args.slice(1)
}

function visitName(name: string, start: number, { bound, reads }: Visit): void {
  if (bound.has(name)) return
  if (name === 'variables') throw new Unknown('variables has members: write variables.NAME', start)
  if (OF_REQUESTS.includes(name))
    throw new Unknown(
      `"${name}" is known to the API server alone: a policy reads object, oldObject and variables`,
      start,
    )
  reads.old ||= name === 'oldObject'
}

function visitMember(node: Extract<ASTNode, { readonly op: '.' | '.?' }>, state: Visit): void {
  const [from, name] = node.args
  const { reads, variables } = state
  if (from.op === 'id' && from.args === 'variables') {
    if (!variables.has(name)) throw new Unknown(unknownVariable(name, variables), node.start)
    reads.variables.add(name)
    return
  }
  const pointer = pointerOf(node)
  if (pointer !== undefined) reads.pointers.add(pointer)
  visit(from, state)
}

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', 'in'])

const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter', 'optMap', 'optFlatMap'])

/** The name under which a function is called. Throws {@link Unknown} for one that there is not. */
function known(name: string, count: number, node: ASTNode, isSets: boolean): string {
  if (isSets && OWN_NAMES.has(`sets.${name}`)) return name
  if (MACROS.has(name) && count > (name === 'map' ? 3 : 2))
    throw new Unknown(`${name}() with two variables cannot be evaluated here`, node.start)
  if (OWN_NAMES.has(name) && !isSets) return OWN + name
  if (KEPT.has(name) && !isSets) return name
  const message = LACKING.has(name)
    ? `the function ${name}() cannot be evaluated here`
    : `there is no function ${name}() in the CEL of Kubernetes`
  throw new Unknown(message, node.start)
}

/** Throws {@link Unknown} for a literal that is no regular expression: the API server refuses it, too. */
function rejectPattern(name: string, args: readonly ASTNode[]): void {
  const pattern = name === 'matches' ? args.at(-1) : name.startsWith('find') ? args[0] : undefined
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string' || compileLinear(pattern.args)) return
  throw new Unknown(
    `${JSON.stringify(pattern.args)} is not a regular expression of RE2, or is too large`,
    pattern.start,
  )
}

const unknownVariable = (name: string, variables: ReadonlySet<string>): string =>
  variables.size === 0
    ? `there is no variables.${name}: objects of these kinds have no variables`
    : `there is no variables.${name}; there are ${[...variables].join(', ')}`

/** `/spec/rateLimit` of `object.spec.?rateLimit`. */
function pointerOf(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args === 'object' ? '' : undefined
  if (node.op !== '.' && node.op !== '.?') return undefined
  const before = pointerOf(node.args[0])
  return before === undefined ? undefined : `${before}/${node.args[1].replaceAll('~', '~0').replaceAll('/', '~1')}`
}
