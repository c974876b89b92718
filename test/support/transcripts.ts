/**
 * Tests as transcripts: text archives, `FOLDER/*.txtar`, found, not listed. `npm run fixtures` records them.
 *
 *     -- # SENTENCE --                a test, which begins with the parts before the first sentence
 *     -- a.yaml --                    a file, with the text below
 *     -- a.yaml = WRONG; b => c --    the text of another, with edits, each of the first place; then the text below
 *     -- a.yaml = WRONG & POLICY --   two documents
 *
 * Files in capitals are only texts for others; `worlds.txtar` has those of all archives.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createFolder, writeFiles } from '../files/folder.ts'
import { type Part, printParts, readParts } from './txtar.ts'

/** Texts by their names, for the files after them. */
export type Known = Map<string, string>

/** The text of a file, of the words behind its `=`. */
function textOf(words: string, known: Known): string {
  const documents = words.split(' & ').map((document) => {
    const [name = '', ...edits] = document.split('; ')
    const text = known.get(name)
    if (text === undefined) throw new Error(`no file ${name} comes before ${words}`)
    return edits.reduce((edited, edit) => {
      const [from = '', to = ''] = edit.split(' => ').map((side) => side.replaceAll('\\n', '\n'))
      if (!edited.includes(from)) throw new Error(`${name} has no ${from}`)
      return edited.replace(from, () => to)
    }, text)
  })
  return documents.join('---\n')
}

/** A file of an archive: its name, and its whole text, which is kept for the files after it. */
export function fileOf({ name, text }: Part, known: Known): readonly [string, string] {
  const [path = '', words] = name.split(' = ')
  const whole = (words === undefined ? '' : textOf(words, known)) + text
  known.set(path, whole)
  return [path, whole]
}

/** Whether a file is only a text for others. */
export const isTemplate = (path: string): boolean => /^[A-Z]+$/.test(path)

/** A member of JSON: `status.revision`, or `items.*.name` of all items. */
export function memberOf(body: unknown, path: string): unknown {
  const [name = '', ...rest] = path.split('.')
  const inner = (value: unknown) => (rest.length === 0 ? value : memberOf(value, rest.join('.')))
  return name === '*' && Array.isArray(body) ? body.map(inner) : inner(Object(body)[name])
}

/** Plays a test: what all tests of an archive begin with, and its own parts; these with what came out this time. */
export type Play = (shared: readonly Part[], own: readonly Part[], known: Known) => Promise<readonly Part[]>

/** Runs a command in a folder, with the texts that are known and what is recorded of it; gives what it prints. */
type Run = (command: string, folder: string, known: Known, recorded: string) => string | Promise<string>

/** Plays files and commands, `-- $ COMMAND --`, in a folder of their own. */
export const playIn =
  (run: Run): Play =>
  async (shared, own, known) => {
    const folder = createFolder()
    const outcomes: Part[] = []
    for (const part of [...shared, ...own]) {
      const [, command] = /^\$ (.*)$/.exec(part.name) ?? []
      if (command !== undefined) outcomes.push({ ...part, text: await run(command, folder, known, part.text) })
      else {
        const [path, text] = fileOf(part, known)
        if (!isTemplate(path)) writeFiles(folder, { [path]: text })
        outcomes.push(part)
      }
    }
    return outcomes.slice(shared.length)
  }

/** Milliseconds in which a step must show what is recorded. */
const PATIENCE = 240_000

/** Plays a step until it shows what is recorded, and records it when it shows the same after a rest (milliseconds). */
export async function playUntilRecorded(
  step: () => Promise<string>,
  { recorded, rest }: { readonly recorded: string; readonly rest: number },
): Promise<string> {
  const isRecording = process.env.SLUICE_RECORD === '1'
  let last: string | undefined
  for (const end = Date.now() + PATIENCE; ; ) {
    const now = await step()
    if (now === recorded && !(isRecording && now === '')) return now
    if (isRecording ? now === last : Date.now() > end) return now
    last = now
    await sleep(isRecording ? rest : 100)
  }
}

/** Describes every archive of a folder, or those whose name a part of a suite takes. */
export function describeTranscripts(folder: URL, play: Play, takes: (name: string) => boolean = () => true): void {
  const read = (name: string) => readParts(readFileSync(new URL(name, folder), 'utf8'))
  const names = readdirSync(folder)
  const worlds: Known = new Map()
  if (names.includes('worlds.txtar')) for (const part of read('worlds.txtar').parts) fileOf(part, worlds)

  describe.each(names.filter((name) => name !== 'worlds.txtar' && takes(name)))('%s', (name) => {
    const { parts } = read(name)
    const starts = parts.flatMap((part, index) => (part.name.startsWith('# ') ? [index] : []))
    const shared = parts.slice(0, starts[0])
    const tests = starts.map((start, index) => ({
      sentence: parts[start]?.name.slice(2) ?? '',
      own: parts.slice(start + 1, starts[index + 1]),
    }))
    it.each(tests)('$sentence', async ({ sentence, own }) => {
      const outcome = await play(shared, own, new Map(worlds))
      if (process.env.SLUICE_RECORD !== '1') return expect(printParts(outcome)).toBe(printParts(own))
      const { comment, parts: now } = read(name)
      const start = now.findIndex((part) => part.name === `# ${sentence}`)
      const next = now.findIndex((part, index) => index > start && part.name.startsWith('# '))
      const rest = next === -1 ? [] : now.slice(next)
      writeFileSync(new URL(name, folder), comment + printParts([...now.slice(0, start + 1), ...outcome, ...rest]))
    })
  })
}
