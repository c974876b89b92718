/** Texts to documents, as kustomize reads them. */
import { isObject, type Json } from '../json/member.ts'
import { parseTree, type TextDocument, type Texts } from '../yaml/documents.ts'
import { construct } from '../yaml/parse/construct.ts'
import type { ContentNode, TextNode } from '../yaml/parse/node.ts'
import { BuildFailure } from './failure.ts'
import {
  itemsOf,
  memberOf,
  type Part,
  type Place,
  stringAt,
  type TextFile,
  type Traced,
  tracedDocument,
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

/** The documents of a text as kubectl reads them. Throws {@link BuildFailure} for a syntax error. */
function readTexts(source: TextFile): readonly TextDocument[] {
  const documents = source.documents()
  for (const { value, problems } of documents)
    if (value === undefined) throw new BuildFailure(source.file, problems[0]?.reason ?? 'a document cannot be read')
  return documents
}

/** The first document of a text, as kubectl reads it; undefined where there is none. */
export function readFirst(source: TextFile): Traced | undefined {
  const [document] = readTexts(source)
  return document && tracedDocument({ source, document }, jsonOf(document.value))
}

/** The objects of a text as kustomize reads them, those of Lists one by one; `inline` is where the text stands. */
export function readObjects(source: TextFile, inline?: Place): readonly Traced[] {
  return readTexts(source).flatMap((document): readonly Traced[] => {
    const part: Part = { source, document, ...(inline ? { inline } : {}) }
    return expand(tracedDocument(part, jsonOf(valueWithWords(source.text, document))), source.file)
  })
}

/** The items of Lists one by one; what has no kind is no object. */
function expand(object: Traced, file: string): readonly Traced[] {
  if (object.value === null) return []
  if (!isObject(object.value)) throw new BuildFailure(file, 'expected Kubernetes objects')
  const kind = stringAt(object, 'kind')
  if (!kind) return []
  const items = kind.endsWith('List') ? memberOf(object, 'items') : undefined
  return items ? (itemsOf(items) ?? []).flatMap((item) => expand(item, file)) : [object]
}

/** What a document holds is JSON; what cannot be read is undefined. */
const jsonOf = (value: unknown): Json => (isJson(value) ? value : null)

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
