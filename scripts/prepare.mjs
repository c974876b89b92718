/**
 * What npm runs where it makes a package of this folder: builds `dist/`.
 *
 * Whoever installs from a Git repository into the global folder (pre-commit does) has npm prepare the clone with the
 * flags of the installation, so that no development dependency is there: then they are fetched first.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** Settings of the npm that runs us, which would hold for ours as well: all but how this machine reaches packages. */
const IS_FOREIGN =
  /^npm_(?:config_(?:global|global_prefix|local_prefix|prefix|location|install_links|allow_git|include|omit|package_lock_only|dry_run)|package_|lifecycle_|command$|node_execpath$)/i

function fetchDependencies() {
  console.log('fetching what the build needs')
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !IS_FOREIGN.test(name)))
  const { status } = spawnSync('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('npm ci could not fetch what the build needs')
}

if (!existsSync(join(ROOT, 'node_modules', 'esbuild'))) fetchDependencies()
await import('./build.mjs')
