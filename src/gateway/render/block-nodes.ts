/** Blocks of policies as pieces of a configuration. */
import type { Block } from './blocks.ts'
import { comment, directive, type Node, quoted, SPACE } from './nodes.ts'

/** The directives of blocks, each below the name of its policy; where `includes`, by the files of the policies. */
export const blockNodes = (blocks: readonly Block[], includes: boolean): readonly Node[] =>
  blocks.flatMap(({ title, nodes, file }) => [
    comment(title),
    ...(includes && file !== undefined ? [directive(`include ${quoted(file)}`)] : nodes),
  ])

/** Blocks under a heading, behind an empty line; nothing where there are none. */
export const sectionNodes = (title: string, blocks: readonly Block[], includes: boolean): readonly Node[] =>
  blocks.length === 0 ? [] : [SPACE, comment(title), ...blockNodes(blocks, includes)]
