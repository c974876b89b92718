/**
 * What is read of a folder, by transcripts (test/support/transcripts.ts): `$ cd FOLDER && read PATHS {SETTINGS}` lists the
 * objects that are judged, `WORLD: FILE NAMESPACE/NAME`, then what could not be read or built, and what only its settings ignore.
 */
import { join } from 'node:path'
import { fileOf } from '../../src/project/source.ts'
import { describeTranscripts, playIn } from '../support/transcripts.ts'
import { collect, judgedIn } from './collect.ts'

const COMMAND = /^(?:cd (?<inner>\S+) && )?read(?<paths>(?: [^\s{]+)*)(?: (?<settings>\{.*\}))?$/

async function read(command: string, folder: string): Promise<string> {
  const { inner = '', paths = '', settings = '{}' } = COMMAND.exec(command)?.groups ?? {}
  const collected = await collect(join(folder, inner), paths.split(' ').filter(Boolean), {
    folder,
    ...JSON.parse(settings),
  })
  const { objects, notBuilt } = judgedIn(collected)
  const said = (title: string, all: readonly { readonly file: string; readonly reason: string }[]) =>
    all.map(({ file, reason }) => `${title} ${file}: ${reason}`)
  const ignored = collected.sources.filter((source) => 'isIgnored' in source && source.isIgnored)
  return [
    ...objects,
    ...said('problem', collected.problems),
    ...said('broken', collected.brokenKustomizations),
    ...said('not built', notBuilt),
    ...ignored.map((source) => `ignored ${fileOf(source)}`),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

describeTranscripts(new URL('../fixtures/discovery/', import.meta.url), playIn(read))
