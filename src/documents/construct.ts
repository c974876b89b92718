/** Values of a tree, as kubectl makes them. */
import { excess } from './expansion.ts'
import {
  firstToken,
  keyName,
  type MappingNode,
  mergeSources,
  type SequenceNode,
  type Span,
  type TextNode,
} from './node.ts'
import { MOST_PROBLEMS } from './problem.ts'
import type { TextProblem, TextProblemCode } from './view.ts'

/** What a document says, and what is wrong with saying it so. */
export type Constructed = { readonly value: unknown; readonly problems: readonly TextProblem[] }

type Site = { readonly problems: TextProblem[]; readonly values: Map<TextNode, object> }

/**
 * Makes the value of a document: ordinary objects and lists. What an anchor holds and its aliases are one and the same
 * object. Members are set in the order of the text, so the last of a name wins, be it merged or written.
 * The value is undefined where kubectl refuses the document.
 */
export function construct(root: TextNode): Constructed {
  const reason = excess(root)
  const site: Site = { problems: [], values: new Map() }
  if (reason !== undefined) {
    report(site, 'unreadable', reason, firstToken(root))
    return { value: undefined, problems: site.problems }
  }
  const value = constructNode(site, root)
  const isRefused = site.problems.some(({ code }) => code !== 'duplicate-key')
  return { value: isRefused ? undefined : value, problems: site.problems }
}

function constructNode(site: Site, node: TextNode): unknown {
  switch (node.kind) {
    case 'scalar':
      if (typeof node.value === 'number' && !Number.isFinite(node.value))
        report(site, 'syntax', 'JSON has no such number', node)
      return node.value
    case 'alias':
      return node.target?.kind === 'scalar' ? node.target.value : node.target && site.values.get(node.target)
    case 'sequence':
    case 'mapping': {
      const value = node.kind === 'sequence' ? listOf(site, node) : objectOf(site, node)
      site.values.set(node, value)
      return value
    }
  }
}

const listOf = (site: Site, { items }: SequenceNode): unknown[] => items.map((item) => constructNode(site, item))

function objectOf(site: Site, { members }: MappingNode): object {
  const object: Members = {}
  const names = new Set<string>()
  for (const { key, value, merges } of members) {
    const made = constructNode(site, value)
    if (merges) {
      merge(site, object, value)
      continue
    }
    const name = keyName(key)
    if (name === undefined) continue
    if (names.has(name)) report(site, 'duplicate-key', `duplicate key "${name}"`, key)
    names.add(name)
    setMember(object, name, made)
  }
  return object
}

/** Sets the members of merged mappings; the first of a list goes last, over the others. */
function merge(site: Site, object: Members, value: TextNode): void {
  const sources = mergeSources(value)
  if (sources === undefined) report(site, 'syntax', 'only mappings can be merged', value)
  for (const source of sources?.toReversed() ?? [])
    for (const [name, merged] of Object.entries(site.values.get(source) ?? {})) setMember(object, name, merged)
}

type Members = Record<string, unknown>

/** Sets an own member, be its name `__proto__`. */
export function setMember(object: Members, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

function report(site: Site, code: TextProblemCode, reason: string, { start, end }: Span): void {
  if (site.problems.length < MOST_PROBLEMS) site.problems.push({ code, reason, start, end })
}
