/** What is committed may be a link to something that has no end, or waits. `npm test` builds the program before. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect } from 'vitest'
import { createFolder, policy } from '../files/folder.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const CLI = resolve('dist/cli.js')

/** Kibibytes that a run may have beside the program: one that reads without an end needs more at once. */
const MEMORY = 2 ** 20

/** Runs with little memory, and ends what does not end by itself. The status is null then. */
function run(argv: readonly string[], cwd: string) {
  const script = `ulimit -d ${MEMORY}; exec "$0" "$@"`
  const { status, stderr } = spawnSync('bash', ['-c', script, process.execPath, CLI, ...argv], {
    cwd,
    encoding: 'utf8',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  })
  return { status, stderr }
}

/** Puts something special in the place of a file. */
const SPECIAL: Readonly<Record<string, (path: string) => void>> = {
  'a named pipe': (path) => void spawnSync('mkfifo', [path]),
  'a link to a named pipe': (path) => {
    spawnSync('mkfifo', [`${path}.pipe`])
    symlinkSync(`${path}.pipe`, path)
  },
  'a link to /dev/zero': (path) => symlinkSync('/dev/zero', path),
  'a link to a file of the system that has no end': (path) => symlinkSync('/proc/self/pagemap', path),
}

const REASON = /expected a file, found a pipe|file is too large|cannot be read|EAGAIN|permission denied|not a file/

describe.each(Object.entries(SPECIAL))('%s', (_, put) => {
  const folderWith = (path: string, files: Record<string, string> = {}) => {
    const folder = createFolder({ 'a/policy.yaml': policy(), ...files })
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    rmSync(join(folder, path), { force: true })
    put(join(folder, path))
    return folder
  }

  each<[string, string, string]>('in the place of %s is an error', (_name, path, line) => {
    const { status, stderr } = run(line.split(' '), folderWith(path))
    expect(stderr).toMatch(REASON)
    expect(status).toBe(2)
  })

  each<[string, string, string]>('in the place of %s does no harm', (_name, path, line) => {
    const files = {
      'chart/Chart.yaml': 'name: chart\n',
      ...(path === 'a/base.yaml' ? { 'a/kustomization.yaml': 'resources: [policy.yaml, base.yaml]\n' } : {}),
    }
    const { status, stderr } = run(line.split(' '), folderWith(path, files))
    expect(stderr).not.toContain('a fault in sluice')
    expect([0, 1, 2]).toContain(status)
  })
})
