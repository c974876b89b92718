/** A repository on a server, as far as a runner sees it, and clones of it as actions/checkout makes them. */
import { pathToFileURL } from 'node:url'
import { createFolder } from '../files/folder.ts'
import { type Changes, createRepository, gitIn } from '../files/repository.ts'

/** Commits by what they are to a pull request. */
export type Commits = {
  /** Where the branch began. */
  readonly start: string
  /** The tip of main, which has moved on. */
  readonly main: string
  readonly head: string
  /** The merge of both, which GitHub makes. */
  readonly merge: string
}

export type OriginFiles = { readonly start: Changes; readonly main?: Changes; readonly head: Changes }

/** Makes a repository with a pull request, number 7. */
export function createOrigin({ start, main = {}, head }: OriginFiles) {
  const { folder, git, commit } = createRepository()
  const commits: { -readonly [Name in keyof Commits]: string } = { start: commit(start), main: '', head: '', merge: '' }
  git('checkout', '--quiet', '-b', 'limits')
  commits.head = commit(head)
  git('checkout', '--quiet', 'main')
  commits.main = commit(main)
  git('checkout', '--quiet', '--detach')
  git('merge', '--quiet', '--no-ff', '--message', 'merge', 'limits')
  commits.merge = git('rev-parse', 'HEAD')
  git('update-ref', 'refs/pull/7/merge', commits.merge)
  git('checkout', '--quiet', 'main')
  return { folder, url: pathToFileURL(folder).href, commits, commit, git }
}

/** Checks out a commit; `depth` 0 is the whole history. */
export function checkOut(url: string, commit: string, depth = 1): string {
  const workspace = createFolder()
  const git = gitIn(workspace)
  git('init', '--quiet')
  git('remote', 'add', 'origin', url)
  const shallow = depth === 0 ? [] : [`--depth=${depth}`]
  const wanted = depth === 0 ? ['+refs/heads/*:refs/remotes/origin/*'] : []
  git('fetch', '--quiet', '--no-tags', ...shallow, 'origin', ...wanted, `+${commit}:refs/remotes/checked-out`)
  git('checkout', '--quiet', '--force', 'refs/remotes/checked-out')
  return workspace
}

/** What GitHub says of the pull request; `fork` is whether its branch lives in another repository. */
export const pullRequest = ({ main, head }: Commits, fork = false) => ({
  name: 'pull_request',
  payload: {
    number: 7,
    pull_request: {
      base: { ref: 'main', sha: main, repo: { full_name: 'cafe/shop' } },
      head: { ref: 'limits', sha: head, repo: { full_name: fork ? 'guest/shop' : 'cafe/shop', fork } },
    },
  },
})

export const push = (before: string, after: string) => ({
  name: 'push',
  payload: { ref: 'refs/heads/main', before, after, forced: false },
})
