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
import { printArchive, readArchive } from '../support/txtar.ts'
import { validate } from './schema.ts'

const FOLDER = new URL('../fixtures/simulate/', import.meta.url)
const read = (name: string) => readArchive(readFileSync(new URL(name, FOLDER), 'utf8'))
const SHOP = read('shop.txtar')
const isCommand = (name: string): boolean => name.startsWith('$ ')

/** The files of an archive and of the shop, written into a folder. */
function filesOf(files: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const [name, text] of [...SHOP.files, ...files]) {
    const [path = '', other = ''] = name.split(' = ')
    if (!isCommand(name)) texts[path] = (texts[other] ?? '') + text
  }
  return texts
}

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

describe.each(readdirSync(FOLDER).filter((name) => name !== 'shop.txtar'))('%s', (name) => {
  const archive = read(name)
  const files = filesOf(archive.files)
  it.each([...archive.files.keys()].filter(isCommand))('%s', async (command) => {
    const output = await outputOf(command, files)
    if (process.env.SLUICE_RECORD !== '1') return expect(output).toBe(archive.files.get(command))
    const { comment, files: now } = read(name)
    writeFileSync(new URL(name, FOLDER), printArchive({ comment, files: new Map(now).set(command, output) }))
  })
})
