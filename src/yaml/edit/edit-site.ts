/** What the planning of edits looks at. */

import type { TextNode } from '../parse/node.ts'
import type { TextEdit } from './edit.ts'

/** A document to edit. */
export type Site = {
  /** The whole file's. */
  readonly text: string
  readonly format: 'yaml' | 'json'
  readonly root: TextNode
  /** Names of members in the order in which people write them, for the object at a pointer of the document. */
  orderOf(pointer: string): readonly string[]
}

/** Edits that belong together. */
export type EditPlan = readonly TextEdit[]
