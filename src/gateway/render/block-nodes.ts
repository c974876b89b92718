/** Blocks of policies as pieces of a configuration. */
import type { Block } from './blocks.ts'
import { comment, directive, type Node, quoted } from './nodes.ts'

/** The directives of blocks, each below the name of its policy; where `includes`, by the files of the policies. */
export const blockNodes = (blocks: readonly Block[], includes: boolean): readonly Node[] =>
  blocks.flatMap(({ title, nodes, file }) => [
    comment(title),
    ...(includes && file !== undefined ? [directive(`include ${quoted(file)}`)] : nodes),
  ])
