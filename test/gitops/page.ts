/** The blocks of a page that begin with the name of a file: `# task.yaml`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load, loadAll } from 'js-yaml'
import { ROOT } from './shell.ts'

/** The blocks by their names, and the page's whole text. */
export function readPage(path: string) {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const blocks = new Map(
    [...text.matchAll(/^```(?:yaml|sh)\n(# (\S+)\n[\s\S]*?)^```$/gm)].map(([, block = '', name = '']) => [name, block]),
  )
  const block = (name: string): string => {
    const found = blocks.get(name)
    if (found === undefined) throw new Error(`${path} has no block "# ${name}"`)
    return found
  }
  return {
    text,
    names: [...blocks.keys()],
    block,
    yaml: <Value>(name: string): Value => plain(load(block(name))),
    all: (name: string) => plain<readonly Manifest[]>(loadAll(block(name))),
  }
}

export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

const plain = <Value>(value: unknown): Value => JSON.parse(JSON.stringify(value))
