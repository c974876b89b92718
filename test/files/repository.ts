/** Real Git repositories for tests. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { casesOf } from '../support/cases.ts'
import { createFolder } from './folder.ts'

const { cases } = casesOf(import.meta.url)

/** Files by their paths; undefined removes one. */
export type Changes = Readonly<Record<string, string | undefined>>

/** What Git knows of people and settings in tests: nothing of the user or the machine. */
export const GIT_ENVIRONMENT = cases<Readonly<Record<string, string>>>('GIT_ENVIRONMENT')

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
