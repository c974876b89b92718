/** Command lines as people write them, run by bash with the built `sluice` on the path. `npm test` builds it before. */
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { findHelm } from '../../scripts/helm.ts'
import { programOf } from '../../scripts/kube-apiserver.ts'
import { createFolder } from '../files/folder.ts'

export const ROOT = resolve(import.meta.dirname, '../..')

/** What a command line left behind. */
export type Answer = { readonly status: number | null; readonly stdout: string; readonly stderr: string }

export type ShellOptions = {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Programs to find first, by name; default: sluice, helm and kubectl. */
  readonly programs?: Readonly<Record<string, string>>
  /** Finds these programs and no other ones. */
  readonly isBare?: boolean
}

const PROGRAMS = { sluice: join(ROOT, 'dist/cli.js'), helm: findHelm() ?? 'helm', kubectl: programOf('kubectl') }

/** Nothing of the runner that these tests may themselves run on. */
const RUNNER = /^(?:GITHUB|RUNNER|INPUT|GITLAB|CI)(?:_|$)/

/** Runs a script. Git and whatever else asks gets no settings of this machine's user. */
export function shell(
  script: string,
  { cwd, env = {}, input = '', programs = PROGRAMS, isBare }: ShellOptions,
): Answer {
  const inherited = Object.entries(process.env).filter(([name]) => !RUNNER.test(name) && name !== 'NODE_OPTIONS')
  const others = isBare ? [] : [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)]
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    encoding: 'utf8',
    input,
    maxBuffer: 2 ** 26,
    env: {
      ...Object.fromEntries(inherited),
      NO_COLOR: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      ...env,
      PATH: [linked(programs), ...others].join(delimiter),
    },
  })
  return { status, stdout, stderr }
}

/** A folder in which programs stand under their names. */
function linked(programs: Readonly<Record<string, string>>): string {
  const folder = createFolder()
  for (const [name, target] of Object.entries(programs)) symlinkSync(target, join(folder, name))
  return folder
}
