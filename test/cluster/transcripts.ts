/**
 * Transcripts (test/support/transcripts.ts) of kubectl and the built `sluice` with the cluster of a test file. A command is a
 * line of bash as the administrator, or as somebody who has no rights but those that are granted, after `KUBECONFIG=$ROBOT`.
 * `json NAME` prints that member of a JSON, or what an expression makes of its members. `eventually COMMAND` repeats a
 * command until it succeeds, as `fails COMMAND` and `says WORDS COMMAND` do where a command fails, and where its output has
 * words. `quietly COMMAND` leaves out warnings, which depend on what the webhook has heard of so far.
 */
import { spawn } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { programOf } from '../../scripts/kube-apiserver.ts'
import { shown } from '../cli/transcripts.ts'
import { createFolder } from '../files/folder.ts'
import { PROGRAM } from '../serving.ts'
import { describeTranscripts, playIn } from '../support/transcripts.ts'
import type { Cluster } from './cluster.ts'
import { ADMIN, ROBOT } from './users.ts'

const FUNCTIONS = `set -o pipefail
json() { node -p "with (JSON.parse(fs.readFileSync(0, 'utf8'))) JSON.stringify($1)"; }
eventually() { for _ in $(seq 600); do "$@" > /dev/null 2>&1 && return; sleep 0.2; done; false; }
fails() { ! "$@"; }
quietly() { "$@" 2>&1 | sed '/^Warning: /d'; }
says() { local words=$1; shift; [[ "$("$@" 2>&1)" == *"$words"* ]]; }
`

/** A folder with the programs of the commands. */
export function programs(): string {
  const folder = createFolder()
  symlinkSync(programOf('kubectl'), join(folder, 'kubectl'))
  symlinkSync(process.execPath, join(folder, 'node'))
  writeFileSync(join(folder, 'sluice'), `#!/bin/sh\nexec ${process.execPath} ${PROGRAM} "$@"\n`, { mode: 0o755 })
  return folder
}

/** Describes the archives of `test/fixtures/cluster/` that a name begins, in their order: what one does the next one finds. */
export function describeInCluster(cluster: Cluster, archive: string, variables: Readonly<Record<string, string>> = {}) {
  const run = async (command: string, cwd: string): Promise<string> => {
    const env = {
      ...{ ...variables, HOME: cwd, PATH: [programs(), process.env.PATH].join(delimiter) },
      ...{ KUBECONFIG: cluster.kubeconfig(ADMIN), ROBOT: cluster.kubeconfig(ROBOT) },
    }
    const child = spawn('bash', ['-c', FUNCTIONS + command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)))
    const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
    return shown({ code, stdout, stderr }, cwd)
  }
  const folder = new URL('../fixtures/cluster/', import.meta.url)
  describeTranscripts(folder, playIn(run), (name) => name === `${archive}.txtar`)
}
