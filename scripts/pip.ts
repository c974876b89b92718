/** Packages from PyPI for the tests, each in a folder of its own below node_modules/.cache. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A package in its one tested version. */
export type Wheel = { readonly name: string; readonly version: string }

/** Where a package is, once installed. */
export const folderOf = ({ name, version }: Wheel): string =>
  fileURLToPath(new URL(`../node_modules/.cache/sluice/${name}-${version}`, import.meta.url))

/** True where Python can install packages. */
export const hasPip = (): boolean => spawnSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' }).status === 0

/** The parameters of python3 that install a package, with what it needs unless it stands `alone`. */
export const pipInstall = (wheel: Wheel, alone: boolean): readonly string[] => [
  ...['-m', 'pip', 'install', '--quiet', '--root-user-action', 'ignore', '--upgrade'],
  ...(alone ? ['--no-deps'] : []),
  ...['--target', folderOf(wheel), `${wheel.name}==${wheel.version}`],
]
