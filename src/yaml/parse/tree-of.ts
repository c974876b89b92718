/** The tree of a document, by whichever reader reads it fastest. */

import { plainTree } from '../fast/plain-tree.ts'
import type { TextDocument } from '../read.ts'
import { parseJson } from './json.ts'
import type { TextNode } from './node.ts'
import { parseYaml } from './yaml.ts'

/** The tree of a document; undefined where its text cannot be parsed. */
export function treeOf(text: string, { start, end, format, isPlain }: TextDocument): TextNode | undefined {
  if (isPlain) return plainTree(text, start, end)
  return (format === 'json' ? parseJson : parseYaml)(text, start, end).root
}
