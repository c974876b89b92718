/** Real Git repositories for tests. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFolder } from './folder.ts'

/** Files by their paths; undefined removes one. */
export type Changes = Readonly<Record<string, string | undefined>>

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false']

/** Git in a folder, with these settings only, none of the user or the machine. */
export const gitIn =
  (folder: string) =>
  (...parameters: readonly string[]): string =>
    execFileSync('git', [...IDENTITY, '-c', 'init.defaultBranch=main', ...parameters], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    }).trim()

/** A repository, without a commit yet. It is removed after the test. */
export function createRepository() {
  const folder = createFolder()
  const git = gitIn(folder)
  git('init', '--quiet')
  const write = (changes: Changes) => {
    for (const [path, text] of Object.entries(changes)) {
      const file = join(folder, path)
      if (text === undefined) rmSync(file)
      else {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, text)
      }
    }
  }
  const commit = (changes: Changes): string => {
    write(changes)
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '--message', 'change')
    return git('rev-parse', 'HEAD')
  }
  return { folder, git, write, commit }
}
