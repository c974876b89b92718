/** This project as a repository of its own, as it lies here, committed or not: what users clone. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitIn } from '../files/repository.ts'
import { ROOT } from './shell.ts'

/** Makes the repository; answers the id of its one commit. One that is built holds `dist/`, and npm builds nothing for it. */
export function copyProject(folder: string, { isBuilt = false } = {}): string {
  const listed = gitIn(ROOT)('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0')
  const own = listed.filter((name) => name !== '' && existsSync(join(ROOT, name)))
  for (const path of isBuilt ? [...own.filter((name) => !/^(?:test|docs|bench)\//.test(name)), 'dist'] : own) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  }
  if (isBuilt) removeBuild(folder)
  const git = gitIn(folder)
  git('init', '--quiet')
  git('add', '--all', '--force')
  git('commit', '--quiet', '--message', 'the project')
  return git('rev-parse', 'HEAD')
}

function removeBuild(folder: string): void {
  const file = join(folder, 'package.json')
  const { scripts: _, devDependencies: _too, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(manifest))
  rmSync(join(folder, 'package-lock.json'))
}
