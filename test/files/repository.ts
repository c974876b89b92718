/** Real Git repositories for tests. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFolder } from './folder.ts'

/** Files by their paths; undefined removes one. */
export type Changes = Readonly<Record<string, string | undefined>>

/** What Git knows of people and settings in tests: nothing of the user or the machine. */
export const GIT_ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_COUNT: '3',
  GIT_CONFIG_KEY_0: 'user.name',
  GIT_CONFIG_VALUE_0: 'Test',
  GIT_CONFIG_KEY_1: 'user.email',
  GIT_CONFIG_VALUE_1: 'test@example.com',
  GIT_CONFIG_KEY_2: 'init.defaultBranch',
  GIT_CONFIG_VALUE_2: 'main',
} as const

/** Git in a folder. */
export const gitIn =
  (folder: string) =>
  (...parameters: readonly string[]): string =>
    execFileSync('git', parameters, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...GIT_ENVIRONMENT },
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
