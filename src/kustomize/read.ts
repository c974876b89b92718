/** Texts to documents, as kustomize reads them. */
import { isObject, type Json } from '../json/member.ts'
import { parseTree, type TextDocument, type Texts } from '../yaml/documents.ts'
import { construct } from '../yaml/parse/construct.ts'
import type { ContentNode, TextNode } from '../yaml/parse/node.ts'
import { BuildFailure, refused } from './failure.ts'
import {
  itemsOf,
  madeAt,
  memberOf,
  type Part,
  type Place,
  stringAt,
  type TextFile,
  type Traced,
  tracedDocument,
  withMember,
} from './traced.ts'

/** Every document; JSON is YAML. */
const ALL = { mentions: /(?:)/, isYaml: true }

/** A text for builds. */
export function textFile({ file, text }: Pick<TextFile, 'file' | 'text'>, texts: Texts): TextFile {
  let documents: readonly TextDocument[] | undefined
  return {
    file,
    text,
    documents() {
      documents ??= texts.of(text).documents(ALL)
      return documents
    },
  }
}

/** A document of a text, as kubectl reads it. Throws {@link BuildFailure} for one that cannot be read. */
function rootOf(part: Part, read: (document: TextDocument) => unknown): Traced {
  const { document } = part
  const value = read(document)
  if (document.value !== undefined && isJson(value)) return tracedDocument(part, value)
  const [problem] = document.problems
  if (problem?.code !== 'syntax')
    throw new BuildFailure(part.source.file, problem?.reason ?? 'a document cannot be read')
  const { start, end } = problem
  throw refused('syntax', { part, pointer: '', ...(part.inline ? {} : { range: { start, end } }) }, problem.reason)
}

/** The first document of a text, as kubectl reads it; undefined where there is none. */
export function readFirst(source: TextFile, inline?: Place): Traced | undefined {
  const [document] = source.documents()
  return document && rootOf({ source, document, ...(inline ? { inline } : {}) }, ({ value }) => value)
}

/** The objects of a text as kustomize reads them, those of Lists one by one; `inline` is where the text stands. */
export function readObjects(source: TextFile, inline?: Place): readonly Traced[] {
  const parts = source.documents().map((document): Part => ({ source, document, ...(inline ? { inline } : {}) }))
  if (parts[0]) rejectSeparator(parts[0])
  return parts.flatMap((part) => expand(rootOf(part, (document) => valueWithWords(source.text, document))))
}

/** What kustomize takes for a line between two documents; at the beginning of a text, what begins no other way. */
const SEPARATOR = /(?:^---(?=[^\s#])|\n---(?=[^\S\n]*[^\s#].*\n)).*/

/** Throws {@link BuildFailure} where something else than a comment follows the hyphens: `---x`. */
function rejectSeparator(part: Part): void {
  const found = SEPARATOR.exec(part.source.text)
  if (!found) return
  const start = found.index + (found[0].startsWith('\n') ? 1 : 0)
  const range = { start, end: found.index + found[0].trimEnd().length }
  throw refused('syntax', { part, pointer: '', ...(part.inline ? {} : { range }) }, 'only a comment may follow "---"')
}

/** The items of Lists one by one. */
function expand(object: Traced): readonly Traced[] {
  const { value, at } = object
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) return []
  const kind = stringAt(object, 'kind')
  const items = kind?.endsWith('List') ? memberOf(object, 'items') : undefined
  if (items && items.value !== null && !itemsOf(items)) throw refused('object', items.at, 'expected a list of objects')
  if (items) return (itemsOf(items) ?? []).flatMap(expand)
  if (!isObject(value)) throw refused('object', at, 'expected an object of Kubernetes')
  if (!isText(value.kind)) throw refused('object', at, 'an object without a kind')
  const metadata = memberOf(object, 'metadata')
  const name = metadata && memberOf(metadata, 'name')?.value
  if (!kind?.endsWith('List') && !isText(name))
    throw refused('object', at, `${kind ?? 'an object'} without metadata.name`)
  // kustomize takes the text of any scalar.
  return [kind ? object : withMember(object, 'kind', madeAt(String(value.kind), at))]
}

/** True for a scalar that is not empty: kustomize takes its text. */
const isText = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && value !== '' && typeof value !== 'object'

/** What a document holds is JSON; what cannot be read is undefined. */
const isJson = (value: unknown): value is Json => value !== undefined

/** What kubectl takes for a boolean and kustomize for a string. */
const MENTIONS_WORD = /(?:^|[\s,:[{-])(?:y|n|yes|no|on|off)(?=$|[\s,:\]}])/im
const IS_WORD = /^(?:y|n|yes|no|on|off)$/i

/** The value of a document that {@link readDocuments} has read. */
function valueWithWords(text: string, document: TextDocument): unknown {
  const { start, end, value } = document
  if (value === undefined || document.format === 'json' || !MENTIONS_WORD.test(text.slice(start, end))) return value
  const root = parseTree(text, document)
  return root === undefined ? value : construct(withWords(root, text, new Map())).value
}

/** The tree with its words as strings. Anchors and their aliases stay one node. */
function withWords(node: TextNode, text: string, known: Map<ContentNode, ContentNode>): TextNode {
  if (node.kind === 'alias') return { ...node, target: node.target && contentWithWords(node.target, text, known) }
  return contentWithWords(node, text, known)
}

function contentWithWords(node: ContentNode, text: string, known: Map<ContentNode, ContentNode>): ContentNode {
  const made = known.get(node) ?? remade(node, text, known)
  known.set(node, made)
  return made
}

function remade(node: ContentNode, text: string, known: Map<ContentNode, ContentNode>): ContentNode {
  const again = (child: TextNode) => withWords(child, text, known)
  if (node.kind === 'sequence') return { ...node, items: node.items.map(again) }
  if (node.kind === 'mapping')
    return {
      ...node,
      members: node.members.map((member) => ({ ...member, key: again(member.key), value: again(member.value) })),
    }
  const word = text.slice(node.start, node.end)
  return typeof node.value === 'boolean' && IS_WORD.test(word) ? { ...node, value: word, name: word } : node
}
