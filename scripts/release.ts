/**
 * `npm run release`: tags a commit that contains the built program, since the GitHub Action runs `dist/` of its tag and
 * builds nothing. The tagged commit is not on the branch, which never contains built files. The working tree and the
 * index do not change, and nothing is pushed.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The files of the command line; the library and its types are only in the package. */
const BUILT = [
  'package.json',
  'cli.js',
  'main.cjs',
  'lint.cjs',
  'log-thread.cjs',
  'store-thread.cjs',
  'inject-thread.cjs',
  'cel.cjs',
  'kubernetes-client.cjs',
  're2.cjs',
  'THIRD-PARTY-LICENSES.txt',
].map((name) => `dist/${name}`)

const run = (program: string, parameters: readonly string[], env: NodeJS.ProcessEnv = process.env): string =>
  execFileSync(program, parameters, { cwd: ROOT, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()

const git = (...parameters: readonly string[]): string => run('git', parameters)

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** Why this commit cannot be released as this version. */
function problemOf(version: string): string | undefined {
  if (git('status', '--porcelain') !== '') return 'the working tree has changes: commit them first'
  if (git('tag', '--list', `v${version}`) !== '') return `the tag v${version} is there already`
  const heading = read('CHANGELOG.md')
    .split('\n')
    .find((line) => line.startsWith(`## [${version}]`))
  const isDated = /- \d{4}-\d{2}-\d{2}$/.test(heading ?? '')
  return isDated ? undefined : `CHANGELOG.md has no line "## [${version}] - YYYY-MM-DD"`
}

/** Creates a commit of HEAD's files with the built ones, and returns its id. */
function commitBuilt(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-release-'))
  try {
    const env = { ...process.env, GIT_INDEX_FILE: join(folder, 'index') }
    run('git', ['read-tree', 'HEAD'], env)
    run('git', ['add', '--force', '--', ...BUILT], env)
    const tree = run('git', ['write-tree'], env)
    return run('git', ['commit-tree', tree, '-p', 'HEAD', '-m', `Release ${version}, with the built program`])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function main(): number {
  const { version }: { readonly version: string } = JSON.parse(read('package.json'))
  const problem = problemOf(version)
  if (problem !== undefined) {
    console.error(`release: ${problem}`)
    return 1
  }
  run(process.execPath, ['scripts/build.mjs'])
  const commit = commitBuilt(version)
  const [tag, major] = [`v${version}`, `v${version.split('.')[0]}`]
  git('tag', '--annotate', '--message', `sluice ${version}`, tag, commit)
  git('tag', '--force', '--annotate', '--message', `sluice ${version}`, major, commit)
  console.log(`tagged ${tag} and ${major}: git push origin ${tag} && git push --force origin ${major}`)
  return 0
}

process.exitCode = main()
