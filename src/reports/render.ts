/** Rendered configurations to text, to JSON, and to the files of a folder. */
import type { RenderAnswer, RenderedGateway } from '../queries/render.ts'
import { escapeUnsafe } from './characters.ts'
import { createPaint } from './style.ts'

/** Where the text goes. */
export type RenderTextOptions = {
  readonly color: boolean
  /** What stands in a key must not move a terminal's cursor. */
  readonly isTerminal: boolean
}

/** The text of the files, comments faint. */
export function renderText({ gateways }: RenderAnswer, { color, isTerminal }: RenderTextOptions): string {
  const text = gateways.flatMap(({ files }) => files.map((file) => file.text)).join('\n')
  if (!isTerminal && !color) return text
  const paint = createPaint(color)
  return text
    .split('\n')
    .map((line) => (isTerminal ? escapeUnsafe(line) : line))
    .map((line) => (/^\s*#/.test(line) ? paint('faint', line) : line))
    .join('\n')
}

/** The JSON of `sluice render`; a contract, version 1. `files` are those that --dir would write. */
export function renderJson({ gateways, notes }: RenderAnswer, composition: string): string {
  const answer = {
    version: 1,
    composition,
    gateways: gateways.map(({ world, namespace, name, inSight, files }) => ({
      world: world === '' ? null : world,
      namespace,
      name,
      inSight,
      files: files.map((file) => ({ name: file.name, text: file.text })),
    })),
    notes,
  }
  return `${JSON.stringify(answer, null, 2)}\n`
}

/** The files of a folder: those of several Gateways in a folder each, and those of several worlds apart. */
export function renderFolders(gateways: readonly RenderedGateway[]): readonly { path: string; text: string }[] {
  const isAlone = gateways.length === 1
  const worlds = new Set(gateways.map(({ world }) => world))
  return gateways.flatMap(({ world, namespace, name, files }) => {
    const inWorld = worlds.size > 1 ? `${world.replace(/[^\w.-]|^\.+$/g, '_') || '_'}/` : ''
    const folder = isAlone ? '' : `${inWorld}${namespace}_${name}/`
    return files.map((file) => ({ path: folder + file.name, text: file.text }))
  })
}
