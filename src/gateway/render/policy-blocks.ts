/** The directives of a policy with the comment that names it. */
import { comment, directive, type Node, quoted, SPACE } from '../../nginx/nodes.ts'

/** The directives of one policy in one context. */
export type Block = {
  /** A comment that names the policy. */
  readonly title: string
  readonly nodes: readonly Node[]
  /** The file of the policy that has exactly these directives; undefined where there is none. */
  readonly file: string | undefined
}

/** The directives of blocks, each after its title. With `includes`, directives in a file of the policy are included from it. */
export const blockNodes = (blocks: readonly Block[], includes: boolean): readonly Node[] =>
  blocks.flatMap(({ title, nodes, file }) => [
    comment(title),
    ...(includes && file !== undefined ? [directive(`include ${quoted(file)}`)] : nodes),
  ])

/** Blocks after an empty line and a heading; nothing where there are no blocks. */
export const sectionNodes = (title: string, blocks: readonly Block[], includes: boolean): readonly Node[] =>
  blocks.length === 0 ? [] : [SPACE, comment(title), ...blockNodes(blocks, includes)]
