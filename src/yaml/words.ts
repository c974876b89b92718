/** The value of a document for kustomize, which reads with go-yaml v3: `yes`, `no`, `on`, `off`, `y` and `n` are strings. */
import { parseTree, type TextDocument } from './documents.ts'
import { construct } from './parse/construct.ts'
import type { ContentNode, TextNode } from './parse/node.ts'

/** What kubectl takes for a boolean and kustomize for a string. */
const MENTIONS_WORD = /(?:^|[\s,:[{-])(?:y|n|yes|no|on|off)(?=$|[\s,:\]}])/im
const IS_WORD = /^(?:y|n|yes|no|on|off)$/i

/** The value of a document that {@link readDocuments} has read. */
export function valueWithWords(text: string, document: TextDocument): unknown {
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
