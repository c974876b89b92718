/** The result of `sluice render` as text, as JSON, and as the files of a folder. */

import type { RenderedGateway, RenderResult } from '../queries/render.ts'
import type { Settings } from '../settings/settings.ts'
import { escapeUnsafe } from './characters.ts'
import { createPaint } from './style.ts'

/** What is written of a rendering. */
type Written = Pick<RenderResult, 'apiManagement' | 'notes' | 'notJudged'> & {
  readonly gateways: readonly Omit<RenderedGateway, 'loops'>[]
}

/** Where the text goes. */
export type RenderTextOptions = {
  readonly color: boolean
  /** True where control characters in a key must not reach the terminal. */
  readonly isTerminal: boolean
}

/** The text of the files, with comments in a faint colour. */
export function renderText(
  { gateways, apiManagement }: Pick<Written, 'gateways' | 'apiManagement'>,
  { color, isTerminal }: RenderTextOptions,
): string {
  const text = [...gateways, ...apiManagement].flatMap(({ files }) => files.map((file) => file.text)).join('\n')
  if (!isTerminal && !color) return text
  const paint = createPaint(color)
  return text
    .split('\n')
    .map((line) => (isTerminal ? escapeUnsafe(line) : line))
    .map((line) => (/^\s*#/.test(line) ? paint('faint', line) : line))
    .join('\n')
}

/** The result as JSON: a contract, version 1 (schemas/render.schema.json). `files` are those that --dir would write. */
export function renderJson(
  { gateways, apiManagement, notes, notJudged }: Written,
  composition: Settings['composition'],
): string {
  const result = {
    version: 1,
    composition,
    gateways: gateways.map(({ world, namespace, name, found, files }) => ({
      world: world === '' ? null : world,
      namespace,
      name,
      found,
      files: files.map((file) => ({ name: file.name, content: file.text })),
    })),
    apiManagement: apiManagement.map(({ world, files }) => ({
      world: world === '' ? null : world,
      files: files.map((file) => ({ name: file.name, content: file.text })),
    })),
    notes,
    notJudged,
  }
  return `${JSON.stringify(result, null, 2)}\n`
}

/**
 * The files of a folder. Each of several configurations gets a folder of its own: a Gateway that of its name, API proxies
 * `api-management`. So does each of several worlds.
 */
export function renderFolders({
  gateways,
  apiManagement,
}: Pick<RenderResult, 'gateways' | 'apiManagement'>): readonly { path: string; text: string }[] {
  const isAlone = gateways.length + apiManagement.length === 1
  const named = gateways.map(({ namespace, name, ...rest }) => ({ folder: `${namespace}_${name}`, ...rest }))
  return [named, apiManagement.map((one) => ({ folder: 'api-management', ...one }))].flatMap((system) => {
    const worlds = new Set(system.map(({ world }) => world))
    return system.flatMap(({ world, folder, files }) => {
      const inWorld = worlds.size > 1 ? `${world.replace(/[^\w.-]|^\.+$/g, '_') || '_'}/` : ''
      const path = isAlone ? '' : `${inWorld}${folder}/`
      return files.map((file) => ({ path: path + file.name, text: file.text }))
    })
  })
}
