/** What is committed may be a link to something that has no end, or waits. `npm test` builds the program before. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy } from '../files/folder.ts'

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
const KUSTOMIZATION = 'kustomization.yaml'

describe.each(Object.entries(SPECIAL))('%s', (_, put) => {
  const folderWith = (path: string, files: Record<string, string> = {}) => {
    const folder = createFolder({ 'a/policy.yaml': policy(), ...files })
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    rmSync(join(folder, path), { force: true })
    put(join(folder, path))
    return folder
  }

  it.each([
    ['settings', 'sluice.config.yaml', ['lint']],
    ['named settings', 'other.yaml', ['lint', '--config', 'other.yaml', 'a']],
    ['settings of a server', 'other.yaml', ['serve', 'admission', '--standalone', '--config', 'other.yaml']],
    ['a baseline', 'known.json', ['lint', 'a', '--baseline', 'known.json']],
    ['a certificate', 'x.pem', ['serve', 'admission', '--standalone', '--cert', 'x.pem', '--key', 'x.pem']],
    ['a kubeconfig', 'kc', ['serve', 'admission', '--kubeconfig', 'kc', '--port', '0', '--health-port', '0']],
  ])('in the place of %s is an error', (_name, path, argv) => {
    const { status, stderr } = run(argv, folderWith(path))
    expect(stderr).toMatch(REASON)
    expect(status).toBe(2)
  })

  it.each([
    ['.gitignore', '.gitignore', ['lint']],
    ['a .gitignore further down', 'a/.gitignore', ['lint']],
    ['what Git excludes', '.git/info/exclude', ['lint']],
    ['the file .git', '.git', ['lint']],
    ['a kustomization', `a/${KUSTOMIZATION}`, ['lint']],
    ['a file of a kustomization', 'a/base.yaml', ['lint']],
    ['a manifest', 'a/b.yaml', ['lint']],
    ['the values of a chart', 'chart/values.yaml', ['lint']],
    ['a template of a chart', 'chart/templates/b.yaml', ['lint']],
    ['a manifest that is named', 'b.yaml', ['lint', 'b.yaml']],
    ['a manifest for effective', 'a/b.yaml', ['effective']],
    ['a manifest for status', 'a/b.yaml', ['status']],
    ['the old version', 'a/b.yaml', ['lint', 'a/policy.yaml', '--old', 'a']],
  ])('in the place of %s does no harm', (_name, path, argv) => {
    const files = {
      'chart/Chart.yaml': 'name: chart\n',
      ...(path === 'a/base.yaml' ? { [`a/${KUSTOMIZATION}`]: 'resources: [policy.yaml, base.yaml]\n' } : {}),
    }
    const { status, stderr } = run(argv, folderWith(path, files))
    expect(stderr).not.toContain('a fault in sluice')
    expect([0, 1, 2]).toContain(status)
  })
})
