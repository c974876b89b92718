/**
 * The GitHub Action in transcripts (test/support/transcripts.ts): a repository with the files of `start/`, of the pull request
 * in `head/`, and of `main/` and `after/`, which come later; `none/` is a folder without Git. Then what a run leaves:
 *
 *     -- $ EVENT {checkout: COMMIT, depth: 1, with: {INPUT: VALUE}} --
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { type Changes, gitIn } from '../files/repository.ts'
import { describeTranscripts, playIn } from '../support/transcripts.ts'
import { checkOut, createOrigin, pullRequest, push } from './origin.ts'
import { type Ran, runAction } from './runner.ts'

type Options = {
  readonly checkout?: string
  readonly depth?: number
  readonly fork?: boolean
  /** Whether nothing more can be fetched. */
  readonly gone?: boolean
  readonly with?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
}

const NOTHING = '0'.repeat(40)

/** The files of a folder by their paths. */
function filesIn(folder: string): Changes {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const files = names.filter((name) => statSync(join(folder, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** What a run left: its notes and annotations, and the rules that its summary names. The words of Git are those of its version. */
function shown({ status, log, summary, outputs }: Ran, names: ReadonlyMap<string, string>): string {
  const said = log.split('\n').filter((line) => /^(?:sluice: |::)/.test(line))
  const [title = '', ...rest] = summary.split('\n')
  const rules = [...rest.join('\n').matchAll(/`(gateway\/[\w-]+)`/g)].map(([, rule]) => rule)
  const text = [
    ...said.map((line) => line.replace(/(title=gateway\/[\w-]+)::.*/, '$1').replace(/ \(.*\), so/, ' (GIT), so')),
    ...(summary === '' ? [] : [['summary:', title, ...rules].join(' ')]),
    ...Object.entries(outputs).flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`])),
    ...(status === 0 ? [] : [`exit ${status}`]),
  ].map((line) => `${line}\n`)
  return [...names].reduce((all, [name, value]) => all.replaceAll(value, name), text.join(''))
}

function run(command: string, folder: string): string {
  const [, name = '', words = '', given = '{}'] = /^(\w+)((?: \w+)*)(?: (\{.*\}))?$/.exec(command) ?? []
  const { checkout = 'merge', depth, fork, gone, ...options } = load(given) as Options
  const [start, main, head, after] = ['start', 'main', 'head', 'after'].map((part) => filesIn(join(folder, part)))
  const { url, commits, commit } = createOrigin({ start: start ?? {}, main: main ?? {}, head: head ?? {} })
  const ids: Record<string, string> = { ...commits, nothing: NOTHING, gone: 'a'.repeat(40) }
  if (after && Object.keys(after).length > 0) ids.after = commit(after)
  const [from = '', to = ''] = words.trim().split(' ')
  const events: Readonly<Record<string, { readonly name: string; readonly payload: object }>> = {
    pull_request: pullRequest(commits, fork),
    push: push(ids[from] ?? '', ids[to] ?? ''),
    merge_group: { name, payload: { merge_group: { base_sha: commits.main, head_sha: commits.merge } } },
  }
  const workspace = checkout === 'none' ? join(folder, 'none') : checkOut(url, ids[checkout] ?? '', depth)
  if (gone) gitIn(workspace)('remote', 'set-url', 'origin', `${url}-gone`)
  const ran = runAction({ workspace, event: events[name] ?? { name, payload: {} }, ...options })
  const places = [['WORKSPACE', workspace], ...Object.entries(ids).map(([id, value]) => [id.toUpperCase(), value])]
  return shown(ran, new Map(places.map(([id = '', value = '']) => [id, value])))
}

describeTranscripts(new URL('../fixtures/action/', import.meta.url), playIn(run))
