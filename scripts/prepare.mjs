/**
 * What npm runs where it makes a package of this folder: builds `dist/`.
 *
 * Whoever installs from a Git repository into the global folder (pre-commit does) has npm prepare the clone with the
 * flags of the installation, so that no development dependency is there, while npm itself works on `node_modules`.
 * Then the build happens in a folder of its own.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** What a build needs beside packages. */
const NEEDED = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'LICENSE',
  'tsconfig.json',
  'scripts',
  'schemas',
  'rules',
  'src',
]

/** What the npm that runs us says of its own work; how this machine reaches packages holds for ours as well. */
const IS_FOREIGN =
  /^npm_(?:config_(?:global|global_prefix|local_prefix|prefix|location|install_links|allow_git|include|omit|package_lock_only|dry_run|force)|package_|lifecycle_|command$|node_execpath$)/i

function buildApart() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-build-'))
  try {
    for (const name of NEEDED) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
    console.log('fetching what the build needs')
    run('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
    run(process.execPath, ['scripts/build.mjs'], folder)
    cpSync(join(folder, 'dist'), join(ROOT, 'dist'), { recursive: true })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run(program, parameters, cwd) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !IS_FOREIGN.test(name)))
  const shell = process.platform === 'win32' && program === 'npm'
  const { status, error } = spawnSync(program, parameters, { cwd, env, stdio: ['ignore', 2, 2], shell })
  if (status !== 0) throw error ?? new Error(`${program} ${parameters[0]} ended with ${status}`)
}

if (existsSync(join(ROOT, 'node_modules', 'esbuild'))) await import('./build.mjs')
else buildApart()
