/**
 * Builds `dist/`. npm runs this when it creates a package from this folder.
 *
 * For a global installation from a Git repository (as by pre-commit), npm prepares the clone with the flags of that
 * installation, so development dependencies are missing, while npm itself works on `node_modules`. The build then happens
 * in another folder.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
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

/** Variables that npm sets for its own run. They are removed, except those that say how to reach a registry. */
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

/** The C++ headers of Node are a sixth of an installation, and nothing here compiles an addon. */
function removeHeaders() {
  const parent = join(ROOT, 'node_modules', 'node', 'node_modules')
  if (!existsSync(parent)) return
  for (const name of readdirSync(parent)) rmSync(join(parent, name, 'include'), { recursive: true, force: true })
}

if (existsSync(join(ROOT, 'node_modules', 'esbuild'))) {
  removeHeaders()
  await import('./build.mjs')
} else buildApart()
