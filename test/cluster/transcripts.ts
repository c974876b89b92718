/**
 * Transcripts (test/support/transcripts.ts) of kubectl and the built `sluice` with the cluster of a test file. A command is a
 * line of bash as the administrator, or as somebody who has no rights but those that are granted, after `KUBECONFIG=$ROBOT`.
 * `json NAME` prints that member of a JSON, or what an expression makes of its members. `eventually COMMAND` repeats a
 * command until it succeeds, as `fails COMMAND` and `says WORDS COMMAND` do where a command fails, and where its output has
 * words. `quietly COMMAND` leaves out warnings, which depend on what the webhook has heard of so far. `soon LINE` plays a line
 * until it prints what is recorded, and is recorded when it prints the same for some seconds. An archive may have functions
 * in `.profile`, and its test words of its own, which know `$PWD` and the variables of the archive.
 */
import { spawn } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { programOf } from '../../scripts/kube-apiserver.ts'
import { shown } from '../cli/transcripts.ts'
import { createFolder } from '../files/folder.ts'
import { PROGRAM } from '../serving.ts'
import { describeTranscripts, playIn, playUntilRecorded } from '../support/transcripts.ts'
import type { Cluster } from './cluster.ts'
import { ADMIN, ROBOT } from './users.ts'

/** What a word of a test does, with the words behind it; gives what it prints. */
type Word = (...words: readonly string[]) => Promise<string>

/** What an archive knows beside the programs. */
type More = { readonly variables?: Readonly<Record<string, string>>; readonly words?: Readonly<Record<string, Word>> }

/** Milliseconds in which a line prints the same before it is recorded. */
const REST = 6000

const FUNCTIONS = `set -o pipefail
json() { node -p "with (JSON.parse(fs.readFileSync(0, 'utf8'))) JSON.stringify($1)"; }
eventually() { for _ in $(seq 600); do "$@" > /dev/null 2>&1 && return; sleep 0.2; done; false; }
fails() { ! "$@"; }
quietly() { "$@" 2>&1 | sed '/^Warning: /d'; }
says() { local words=$1; shift; [[ "$("$@" 2>&1)" == *"$words"* ]]; }
[ ! -e .profile ] || . ./.profile
`

/** A folder with the programs of the commands. */
export function programs(): string {
  const folder = createFolder()
  symlinkSync(programOf('kubectl'), join(folder, 'kubectl'))
  symlinkSync(process.execPath, join(folder, 'node'))
  writeFileSync(join(folder, 'sluice'), `#!/bin/sh\nexec ${process.execPath} ${PROGRAM} "$@"\n`, { mode: 0o755 })
  return folder
}

/** Describes an archive of `test/fixtures/cluster/`, whose tests play in their order: what one does the next one finds. */
export function describeInCluster(cluster: Cluster, archive: string, { variables = {}, words = {} }: More = {}) {
  const run = async (line: string, cwd: string): Promise<string> => {
    const [name = '', ...rest] = line.split(' ')
    const word = words[name]
    const values: Readonly<Record<string, string>> = { ...variables, PWD: cwd }
    if (word) return word(...rest.map((one) => one.replace(/\$([A-Z]+)/g, (_, key: string) => values[key] ?? '')))
    const env = {
      ...{ ...variables, HOME: cwd, PATH: [programs(), process.env.PATH].join(delimiter) },
      ...{ KUBECONFIG: cluster.kubeconfig(ADMIN), ROBOT: cluster.kubeconfig(ROBOT) },
    }
    const child = spawn('bash', ['-c', FUNCTIONS + line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)))
    const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
    return shown({ code, stdout, stderr }, cwd)
  }
  const play = playIn((line, cwd, _, recorded) => {
    const [, again] = /^soon (.*)$/.exec(line) ?? []
    return again === undefined ? run(line, cwd) : playUntilRecorded(() => run(again, cwd), { recorded, rest: REST })
  })
  describeTranscripts(new URL('../fixtures/cluster/', import.meta.url), play, (name) => name === `${archive}.txtar`)
}
