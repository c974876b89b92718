/** The import law finds what it forbids. Each case is a small source tree, checked as `npm run lint` checks this one. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

const SCRIPT = fileURLToPath(new URL('../../scripts/lint/import-law.mjs', import.meta.url))

/** Two rooms and the entries, all within the law. */
const LAWFUL = cases<Readonly<Record<string, string>>>('LAWFUL')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-import-law-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function check(files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8' })
  return { status, stdout, broken: [...stderr.matchAll(/^ {2}breaks ([\w-]+):/gm)].map(([, law]) => law), stderr }
}

it('passes a tree that obeys it, and reports how many modules it read', () =>
  expect(check(LAWFUL)).toMatchObject({ status: 0, stdout: 'import law: 5 modules, no violation\n', stderr: '' }))

each<[string, string, Readonly<Record<string, string>>]>('finds %s', (_, law, files) => {
  const { status, broken } = check({ ...LAWFUL, ...files })
  expect(broken).toContain(law)
  expect(status).toBe(1)
})

describe('fails where something was not read', () => {
  it('a tree without sources', () => expect(check({ 'README.md': '' }).status).toBe(1))

  each<[string, string]>('a type by import() %s, which the parser does not see', (_, type) => {
    const { status, stderr } = check({ ...LAWFUL, 'src/world/view.ts': `export type View = ${type}\n` })
    expect(status).toBe(1)
    expect(stderr).toContain('src/world/view.ts -> ../engine/judge.ts was not read by the import law')
  })

  it('statements that the parser does not see', () => {
    check(LAWFUL)
    const program = `
      import { checkImportLaw } from ${JSON.stringify(pathToFileURL(SCRIPT))}
      const { unread } = await checkImportLaw(${JSON.stringify(folder)}, { parser: 'acorn' })
      console.log(JSON.stringify(unread))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: dirname(SCRIPT),
      encoding: 'utf8',
    })
    expect(JSON.parse(stdout)).toEqual(['src/browser.ts -> ./engine/verdict.ts'])
  })

  it('a source file that cannot be parsed', () =>
    expect(check({ ...LAWFUL, 'src/engine/broken.ts': 'export const = {' }).status).not.toBe(0))
})
