/**
 * Installs npm packages that only one suite needs, each beside its suite and with a lock file of its own:
 *
 *     npm run modules -- lint browser    those of two suites
 *     npm run modules                    all
 *
 * What is installed as locked costs nothing.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The folder of each suite, from which Node finds its packages. */
const FOLDERS: Readonly<Record<string, string>> = {
  lint: 'scripts/lint',
  mutation: 'scripts/mutation',
  sbom: 'scripts/sbom',
  browser: 'test/browser',
  nginx: 'test/nginx',
}

/** Whether a suite's packages are installed as its lock file says; a copy of that stays beside them. */
function isInstalled(folder: string): boolean {
  const [lock, copy] = [join(folder, 'package-lock.json'), join(folder, 'node_modules', 'installed-lock.json')]
  return existsSync(copy) && readFileSync(copy).equals(readFileSync(lock))
}

function install(name: string): number {
  const folder = join(ROOT, FOLDERS[name] ?? '')
  if (isInstalled(folder)) return 0
  console.log(`installing what ${name} needs`)
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) return status ?? 1
  copyFileSync(join(folder, 'package-lock.json'), join(folder, 'node_modules', 'installed-lock.json'))
  return 0
}

function main(asked: readonly string[]): number {
  const unknown = asked.find((name) => FOLDERS[name] === undefined)
  if (unknown !== undefined) {
    console.error(
      `no suite with packages of its own is called "${unknown}"; there are ${Object.keys(FOLDERS).join(', ')}`,
    )
    return 2
  }
  return (asked.length > 0 ? asked : Object.keys(FOLDERS)).map(install).find((status) => status !== 0) ?? 0
}

process.exitCode = main(process.argv.slice(2))
