/** Where things are written in manifests, by the tree of the editor's parser, which also reads what is half typed. Pure. */
import { yamlLanguage } from '@codemirror/lang-yaml'
import type { TextSource } from '../../browser.ts'

type Node = ReturnType<typeof yamlLanguage.parser.parse>['topNode']

/** Members and positions on the way to a value: `['spec', 'targetRefs', 0]`. */
export type Path = readonly (string | number)[]

/** An object of a text: one of its documents. */
export type Manifest = {
  readonly text: string
  readonly node: Node
  /** UTF-16 offsets. */
  readonly from: number
  readonly to: number
}

/** A range of a file, by UTF-16 offsets. */
export type Range = { readonly file: string; readonly from: number; readonly to: number }

/** A limit by its policy and its position in the policy's `rules`. */
export type LimitRef = {
  readonly policy: { readonly namespace: string; readonly name: string }
  readonly index: number
}

const LIMITS = ['spec', 'rateLimit', 'local', 'rules'] as const

/** The namespace of manifests that name none. */
const DEFAULT_NAMESPACE = 'default'

const childrenOf = (node: Node): readonly Node[] => {
  const children: Node[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child)
  return children
}

const isMapping = ({ name }: Node) => name === 'BlockMapping' || name === 'FlowMapping'
const isSequence = ({ name }: Node) => name === 'BlockSequence' || name === 'FlowSequence'
const isValue = (node: Node) =>
  isMapping(node) || isSequence(node) || ['Literal', 'QuotedLiteral', 'BlockLiteral'].includes(node.name)

/** The documents of a text. */
export function manifestsIn(text: string): readonly Manifest[] {
  const documents = childrenOf(yamlLanguage.parser.parse(text).topNode).filter(({ name }) => name === 'Document')
  return documents.map((document, index) => ({
    text,
    node: document,
    from: document.from,
    // The end of a document: what is typed below its last line belongs to it.
    to: documents[index + 1]?.from ?? text.length,
  }))
}

/** The value of a mapping's member or a sequence's item; undefined where there is none. */
function step(node: Node | undefined, text: string, part: string | number): Node | undefined {
  if (!node) return undefined
  if (typeof part === 'number') {
    const items = isSequence(node) ? childrenOf(node).filter(({ name }) => name === 'Item') : []
    const item = items[part]
    return item && (childrenOf(item).find(isValue) ?? item)
  }
  const pair = childrenOf(node).find((child) => child.name === 'Pair' && keyOf(child, text) === part)
  return pair && childrenOf(pair).find(isValue)
}

/** The key of a pair, without quotes. */
const keyOf = (pair: Node, text: string): string => {
  const key = childrenOf(pair).find(({ name }) => name === 'Key')
  return key ? scalar(text.slice(key.from, key.to)) : ''
}

const scalar = (written: string): string => written.trim().replace(/^(["'])(.*)\1$/s, '$2')

/** The value at a path of a manifest. */
const valueAt = ({ node, text }: Manifest, path: Path): Node | undefined =>
  path.reduce<Node | undefined>((at, part) => step(at, text, part), childrenOf(node).find(isValue))

/** The text of a scalar at a path, without quotes; empty where there is none. */
export function textAt(manifest: Manifest, path: Path): string {
  const value = valueAt(manifest, path)
  return value && !isMapping(value) && !isSequence(value) ? scalar(manifest.text.slice(value.from, value.to)) : ''
}

/** How many items the sequence at a path has. */
function countAt(manifest: Manifest, path: Path): number {
  const value = valueAt(manifest, path)
  return value && isSequence(value) ? childrenOf(value).filter(({ name }) => name === 'Item').length : 0
}

/** The manifest at an offset. */
export const manifestAt = (text: string, offset: number): Manifest | undefined =>
  manifestsIn(text).find(({ from, to }, index) => (index === 0 || offset >= from) && offset <= to)

/** The way to the innermost value at an offset; a key belongs to its value. */
export function pathAt({ node, text }: Manifest, offset: number): Path {
  const path: (string | number)[] = []
  const contains = ({ from, to }: Node) => from <= offset && offset <= to
  for (let at: Node | undefined = node; at; ) {
    if (isSequence(at)) {
      const index = childrenOf(at)
        .filter(({ name }) => name === 'Item')
        .findIndex(contains)
      if (index >= 0) path.push(index)
    }
    const inside: Node | undefined = childrenOf(at).find((child) => !/^\W$/.test(child.name) && contains(child))
    if (inside?.name === 'Pair') path.push(keyOf(inside, text))
    at = inside
  }
  return path
}

/** `HTTPRoute/shop/coffee`; names that are not written are empty. */
export const identityOf = (manifest: Manifest): string =>
  [
    textAt(manifest, ['kind']),
    textAt(manifest, ['metadata', 'namespace']) || DEFAULT_NAMESPACE,
    textAt(manifest, ['metadata', 'name']),
  ].join('/')

/** True for a RateLimitPolicy of a name. */
const isPolicy = (manifest: Manifest, { namespace, name }: LimitRef['policy']): boolean =>
  identityOf(manifest) === `RateLimitPolicy/${namespace}/${name}`

/** Where a policy is written. */
function findPolicy(
  files: readonly TextSource[],
  policy: LimitRef['policy'],
): { readonly file: string; readonly manifest: Manifest } | undefined {
  for (const { file, text } of files) {
    const manifest = manifestsIn(text).find((one) => isPolicy(one, policy))
    if (manifest) return { file, manifest }
  }
  return undefined
}

/** Where a limit is written. */
export function rangeOfLimit(files: readonly TextSource[], { policy, index }: LimitRef): Range | undefined {
  const found = findPolicy(files, policy)
  const value = found && valueAt(found.manifest, [...LIMITS, index])
  return value && { file: found.file, from: value.from, to: value.to }
}

/** The limits of a policy as they are written: key and rate. */
export function limitsWritten(
  files: readonly TextSource[],
  policy: LimitRef['policy'],
): readonly { readonly key: string; readonly rate: string }[] {
  const manifest = findPolicy(files, policy)?.manifest
  if (!manifest) return []
  return Array.from({ length: countAt(manifest, LIMITS) }, (_, index) => ({
    key: textAt(manifest, [...LIMITS, index, 'key']),
    rate: textAt(manifest, [...LIMITS, index, 'rate']),
  }))
}

/** The limit of a policy at an offset, and an object that the policy is attached to: `HTTPRoute/shop/coffee`. */
export function limitAt(
  text: string,
  offset: number,
): { readonly limit: LimitRef; readonly target: string } | undefined {
  const manifest = manifestAt(text, offset)
  if (!manifest || textAt(manifest, ['kind']) !== 'RateLimitPolicy') return undefined
  const path = pathAt(manifest, offset)
  const index = path[LIMITS.length]
  if (typeof index !== 'number' || LIMITS.some((part, at) => path[at] !== part)) return undefined
  const namespace = textAt(manifest, ['metadata', 'namespace']) || DEFAULT_NAMESPACE
  const ref = (member: string) => textAt(manifest, ['spec', 'targetRefs', 0, member])
  return {
    limit: { policy: { namespace, name: textAt(manifest, ['metadata', 'name']) }, index },
    target: `${ref('kind')}/${namespace}/${ref('name')}`,
  }
}
