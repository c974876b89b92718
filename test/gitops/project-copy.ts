/** This project as a repository of its own, as it lies here, committed or not: what users clone. */
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitIn } from '../files/repository.ts'
import { ROOT } from './shell.ts'

/** Makes the repository; answers the id of its one commit. */
export function copyProject(folder: string): string {
  const listed = gitIn(ROOT)('ls-files', '-z', '--cached', '--others', '--exclude-standard')
  for (const path of listed.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(ROOT, path), join(folder, path))
  }
  const git = gitIn(folder)
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'the project')
  return git('rev-parse', 'HEAD')
}
