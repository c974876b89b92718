/** Programs for the tests. They are built once from the Go module proxy, in a folder outside of the repository. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { provideGo } from './kube-apiserver.ts'

/** A program in its one tested version. */
export type GoProgram = {
  readonly name: string
  readonly version: string
  /** What `go install` takes before the version; or a folder of ours with the module of the program. */
  readonly path: string | URL
  /** The environment variable with the path of another one. */
  readonly variable: string
}

const folderOf = ({ name, version }: GoProgram): string => join(homedir(), '.cache', 'sluice', `${name}-${version}`)

/** The path of a program; undefined where it is not installed. */
export const findGoProgram = (program: GoProgram): string | undefined =>
  process.env[program.variable] ??
  [folderOf(program), ...(process.env.PATH ?? '').split(delimiter)]
    .map((folder) => join(folder, program.name))
    .find((path) => existsSync(path))

/** Builds a program; two minutes at most. Returns whether it succeeded. */
export function buildGoProgram(program: GoProgram): boolean {
  const go = provideGo()
  if (go === undefined) return false
  // Inside of another module, the Go tool would take our folder for a part of it.
  const folder = mkdtempSync(join(tmpdir(), 'sluice-go-'))
  try {
    if (program.path instanceof URL) cpSync(fileURLToPath(program.path), folder, { recursive: true })
    const { status, stderr } = spawnSync(
      go,
      ['install', program.path instanceof URL ? '.' : `${program.path}@v${program.version}`],
      {
        cwd: folder,
        env: { ...process.env, CGO_ENABLED: '0', GOBIN: folderOf(program) },
        encoding: 'utf8',
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    if (status !== 0) console.error(`${program.name} could not be built:\n${stderr}`)
    return status === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
