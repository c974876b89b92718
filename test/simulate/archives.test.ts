/**
 * `sluice simulate` by text archives: `test/fixtures/simulate/*.txtar`, found, not listed. Files of `shop.txtar` are in
 * all of them; `-- NAME = OTHER --` begins with the text of another file. A file `$ simulate ARGUMENTS` holds what the
 * command prints: CSV without its head and the timeline, unless the arguments name a format. Its JSON is as its
 * schema says. `npm run fixtures` writes archives anew.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sluice } from '../cli/run.ts'
import { createFolder } from '../files/folder.ts'
import { printParts, readParts } from '../support/txtar.ts'
import { shopWith, validate } from './shop.ts'

const FOLDER = new URL('../fixtures/simulate/', import.meta.url)
const read = (name: string) => readParts(readFileSync(new URL(name, FOLDER), 'utf8'))

/** What a command prints: `$ simulate k8s --log - --set 'a=b c' < access.log`. */
async function outputOf(command: string, files: Readonly<Record<string, string>>): Promise<string> {
  const [line = '', stdin = ''] = command.slice(2).split(' < ')
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)
  const io = { cwd: createFolder(files), stdin: files[stdin] ?? '' }
  const format = words.includes('--format') ? [] : ['--format', 'csv']
  const { code, stdout, stderr } = await sluice([...words, ...format], io)
  if (code === 0) {
    const report = JSON.parse((await sluice([...words, '--format', 'json'], io)).stdout)
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true)
  }
  const shown = stdout.replaceAll('\r\n', '\n').replace(/^(?:table|time),.*\n/gm, '')
  return shown + stderr.replace(/^(?=.)/gm, '! ') + (code === 0 ? '' : `exit ${code}\n`)
}

describe.each(readdirSync(FOLDER).filter((name) => name !== 'shop.txtar'))('%s', (archive) => {
  const [commands, files] = [true, false].map((wanted) =>
    read(archive).parts.filter(({ name }) => name.startsWith('$ ') === wanted),
  )
  it.each(commands ?? [])('$name', async ({ name, text }) => {
    const output = await outputOf(name, shopWith(files ?? []))
    if (process.env.SLUICE_RECORD !== '1') return expect(output).toBe(text)
    const { comment, parts } = read(archive)
    const now = parts.map((part) => (part.name === name ? { name, text: output } : part))
    writeFileSync(new URL(archive, FOLDER), comment + printParts(now))
  })
})
