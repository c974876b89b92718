/** A disk of a few megabytes, most of which a file named `ballast` takes. Needs the rights of root. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createFolder } from '../files/folder.ts'

/** Mounts a disk with so many megabytes free until the test has ended. Returns its folder. */
export function mountSmall(megabytes: number): string {
  const folder = createFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${2 * megabytes}m`, 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(megabytes * 1024 * 1024))
  return folder
}
