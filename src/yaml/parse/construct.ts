/** The value of a document's tree, as kubectl (go-yaml v2) makes it. */

import { setMember } from '../../json/member.ts'
import type { Span } from '../scan.ts'
import { firstToken, keyName, type MappingNode, mergeSources, type SequenceNode, type TextNode } from './node.ts'
import { MAX_DEPTH, MAX_PROBLEMS, syntax, type TextMistake, type TextProblem, tooDeep } from './problem.ts'

/** The value of a document, and the problems that only its values show. */
export type Constructed = { readonly value: unknown; readonly problems: readonly TextProblem[] }

type State = { readonly problems: TextProblem[]; readonly values: Map<TextNode, object> }

/**
 * Makes the value of a document from plain objects and arrays. An anchored value and its aliases are one and the same
 * object. Members are set in the order of the text, so of several with one name the last counts, merged or written.
 * The value is undefined where kubectl rejects the document; a duplicate key alone is reported and does not reject it.
 */
export function construct(root: TextNode): Constructed {
  const mistake = expansionProblem(root)
  const state: State = { problems: [], values: new Map() }
  if (mistake) {
    report(state, mistake, firstToken(root))
    return { value: undefined, problems: state.problems }
  }
  const value = constructNode(state, root)
  const isRejected = state.problems.some(({ code }) => code !== 'duplicate-key')
  return { value: isRejected ? undefined : value, problems: state.problems }
}

function constructNode(state: State, node: TextNode): unknown {
  switch (node.kind) {
    case 'scalar':
      if (typeof node.value === 'number' && !Number.isFinite(node.value))
        report(state, syntax('number', 'JSON cannot represent .nan and .inf'), node)
      return node.value
    case 'alias':
      return node.target?.kind === 'scalar' ? node.target.value : node.target && state.values.get(node.target)
    case 'sequence':
    case 'mapping': {
      const value = node.kind === 'sequence' ? listOf(state, node) : objectOf(state, node)
      state.values.set(node, value)
      return value
    }
  }
}

const listOf = (state: State, { items }: SequenceNode): unknown[] => items.map((item) => constructNode(state, item))

function objectOf(state: State, { members }: MappingNode): object {
  const object: Members = {}
  const names = new Set<string>()
  for (const { key, value, merges } of members) {
    const made = constructNode(state, value)
    if (merges) {
      merge(state, object, value)
      continue
    }
    const name = keyName(key)
    if (name === undefined) continue
    if (names.has(name)) report(state, { code: 'duplicate-key', reason: `duplicate key "${name}"` }, key)
    names.add(name)
    setMember(object, name, made)
  }
  return object
}

/** Sets the members of merged mappings; those of the first mapping of a list override the others. */
function merge(state: State, object: Members, value: TextNode): void {
  const sources = mergeSources(value)
  if (sources === undefined) report(state, syntax('merge', 'only mappings can be merged with "<<"'), value)
  for (const source of sources?.toReversed() ?? [])
    for (const [name, merged] of Object.entries(state.values.get(source) ?? {})) setMember(object, name, merged)
}

type Members = Record<string, unknown>

function report(state: State, mistake: TextMistake, { start, end }: Span): void {
  if (state.problems.length < MAX_PROBLEMS) state.problems.push({ ...mistake, start, end })
}

type Expansion = { nodes: number; aliased: number; openAliases: number; mistake: TextMistake | undefined }

const TOO_MANY: TextMistake = { code: 'unreadable', cause: 'aliases', reason: 'aliases make the document too large' }

/** Why a document grows too large when its aliases are followed; undefined where it does not. */
function expansionProblem(root: TextNode): TextMistake | undefined {
  const expansion: Expansion = { nodes: 1, aliased: 0, openAliases: 0, mistake: undefined }
  visit(expansion, root, 1)
  return expansion.mistake
}

/** Visits nodes in go-yaml's order and as often as it does, until one is too many. */
function visit(expansion: Expansion, node: TextNode, depth: number): void {
  if (expansion.mistake) return
  expansion.nodes++
  if (expansion.openAliases > 0) expansion.aliased++
  if (isExcessive(expansion)) expansion.mistake = TOO_MANY
  else if (depth > MAX_DEPTH) expansion.mistake = tooDeep()
  if (expansion.mistake) return
  if (node.kind === 'alias') {
    expansion.openAliases++
    if (node.target) visit(expansion, node.target, depth)
    expansion.openAliases--
    return
  }
  if (node.kind === 'sequence') for (const item of node.items) visit(expansion, item, depth + 1)
  if (node.kind !== 'mapping') return
  for (const { key, value } of node.members) {
    visit(expansion, key, depth + 1)
    visit(expansion, value, depth + 1)
  }
}

/** go-yaml accepts that 99 % of 400,000 nodes come from aliases, and fewer of more nodes: 10 % of 4,000,000. */
function isExcessive({ nodes, aliased }: Expansion): boolean {
  if (aliased <= 100 || nodes <= 1000) return false
  const growth = Math.min(Math.max((nodes - 400_000) / 3_600_000, 0), 1)
  return aliased / nodes > 0.99 - 0.89 * growth
}
