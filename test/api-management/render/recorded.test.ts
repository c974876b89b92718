/**
 * Whole configurations of API proxies by text archives: `test/fixtures/published/*.txtar`, found, not listed. `input.yaml`
 * has what is published and the nginx that runs it; the other files are what is rendered. `npm run fixtures` writes them anew.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { expect, it } from 'vitest'
import type { Published, Site } from '../../../src/api-management/render/published.ts'
import { renderProxies } from '../../../src/api-management/render/render.ts'
import { printArchive, readArchive } from '../../support/txtar.ts'

const FOLDER = new URL('../../fixtures/published/', import.meta.url)
const INPUT = 'input.yaml'

it.each(readdirSync(FOLDER))('%s', (name) => {
  const path = new URL(name, FOLDER)
  const { comment, files } = readArchive(readFileSync(path, 'utf8'))
  const input = files.get(INPUT) ?? ''
  const { site, ...published } = load(input) as Published & { readonly site: Site }
  const rendered = renderProxies(published, site).map((file) => [
    `${file.name}${file.part ? ` of ${file.part}` : ''}`,
    file.text,
  ])
  const archive = {
    comment,
    files: new Map<string, string>([
      [INPUT, input],
      ...rendered.map(([head = '', text = '']) => [head, text] as const),
    ]),
  }
  if (process.env.SLUICE_RECORD === '1') writeFileSync(path, printArchive(archive))
  expect(readFileSync(path, 'utf8')).toBe(printArchive(archive))
})
