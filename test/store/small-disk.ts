/** Disks of a few megabytes or less, until the test has ended. They need the rights of root. */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createFolder } from '../files/folder.ts'

/** Mounts a disk with so many megabytes free; a file named `ballast` takes as many. Returns its folder. */
export function mountSmall(megabytes: number): string {
  const folder = createFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${2 * megabytes}m`, 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(megabytes * 1024 * 1024))
  return folder
}

/** A file system of some bytes; undefined where none can be mounted. */
export function mountTmpfs(size: string): { readonly folder: string; remount(mode: 'ro' | 'rw'): void } | undefined {
  const folder = createFolder()
  const run = (...args: readonly string[]) => spawnSync('mount', args).status === 0
  if (!run('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder)) return undefined
  onTestFinished(() => void spawnSync('umount', ['-l', folder]))
  return { folder, remount: (mode) => void run('-o', `remount,${mode}`, folder) }
}
