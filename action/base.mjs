/** Finds the commit to compare with from the event, and fetches it where a shallow clone lacks it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Longer than any fetch of one commit takes. A server that does not respond must not block the job. */
const FETCH_MILLISECONDS = 180_000

/**
 * Finds the commit to compare with: `{ commit, what }`, or `{ reason }` where there is none; where there should be one,
 * also `isProblem` and perhaps `advice`.
 */
export function findBase({ base, args, folder }, env) {
  if (base === 'none') return { reason: 'the input base is "none"' }
  if (args.some((argument) => /^--(?:base|old|cluster)(?:=|$)/.test(argument)))
    return { reason: 'args contain --base, --old or --cluster' }
  const git = createGit(folder)
  if (base !== '') return baseOfInput(base, git)
  const start = startOf(env.GITHUB_EVENT_NAME, readEvent(env.GITHUB_EVENT_PATH))
  if (start.reason) return start
  const here = git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')
  if (!here.ok) return missing(`there is no Git commit here${because(git('rev-parse', '--git-dir'))}`)
  return start.isBranch ? baseOfBranch(start, git, env.GITHUB_SHA) : baseOfCommit(start, git)
}

const missing = (reason, advice) => ({ reason, advice, isProblem: true })

/** What to do where a commit cannot be fetched. */
const FETCH_ALL = 'use fetch-depth: 0 in actions/checkout'

const because = ({ message }) => (message === '' ? '' : ` (${message})`)

/** Fetches what the input needs. Sluice itself reports a base that does not exist. */
function baseOfInput(base, git) {
  const name = base.split('...')[0]
  const isThere = git('rev-parse', '--verify', '--quiet', `${name || 'HEAD'}^{commit}`).ok
  if (isShallow(git) && (!isThere || base.includes('...'))) {
    const branch = /^origin\/(.+)$/.exec(name)?.[1]
    const wanted = branch ? [`+refs/heads/${branch}:refs/remotes/origin/${branch}`] : []
    git('fetch', '--quiet', '--no-tags', '--unshallow', 'origin')
    if (wanted.length > 0) git('fetch', '--quiet', '--no-tags', 'origin', ...wanted)
  }
  return { commit: base, what: 'the input base' }
}

function readEvent(path) {
  try {
    return JSON.parse(readFileSync(path ?? '', 'utf8'))
  } catch {
    return {}
  }
}

const NOTHING = /^0+$/
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** The commit before the change, according to the event. */
function startOf(name, event) {
  const starts = {
    pull_request: {
      commit: event.pull_request?.base?.sha,
      what: 'the target of the pull request',
      isBranch: true,
    },
    merge_group: { commit: event.merge_group?.base_sha, what: 'the target of the merge group' },
    push: { commit: event.before, what: 'the commit before this push' },
  }
  const start = starts[name === 'pull_request_target' ? 'pull_request' : name]
  if (!start) return { reason: `an event such as "${name ?? ''}" has no base` }
  if (NOTHING.test(start.commit ?? '')) return { reason: 'this is the first push of a branch' }
  return COMMIT.test(start.commit ?? '') ? start : missing(`the event "${name}" names no commit`)
}

/** For a pull request, the runner checks out a merge commit, whose first parent is a commit of the target branch. */
function baseOfBranch({ commit, what }, git, merge) {
  const [head, first, second] = commitsOf(git)
  if (second && head === merge) return baseOfCommit({ commit: first, what }, git)
  const tip = baseOfCommit({ commit, what }, git)
  if (!tip.commit) return tip
  const parted = git('merge-base', commit, 'HEAD')
  if (parted.ok) return { commit: parted.text, what: 'the merge base' }
  // Without the merge base, later commits of the target branch would look like changes of this one.
  const whole = isShallow(git) ? git('fetch', '--quiet', '--no-tags', '--unshallow', 'origin', commit) : parted
  const later = git('merge-base', commit, 'HEAD')
  if (later.ok) return { commit: later.text, what: 'the merge base' }
  return missing(`the history back to ${commit} cannot be fetched${because(whole)}`, FETCH_ALL)
}

/** HEAD and its parents, which the commit lists even where the clone lacks them. */
function commitsOf(git) {
  const parents = [
    ...git('cat-file', '-p', 'HEAD')
      .text.split('\n\n')[0]
      .matchAll(/^parent (\w+)$/gm),
  ]
  return [git('rev-parse', 'HEAD').text, ...parents.map(([, commit]) => commit)]
}

function baseOfCommit({ commit, what }, git) {
  if (git('cat-file', '-e', `${commit}^{commit}`).ok) return { commit, what }
  // With --depth, a complete clone would become shallow.
  const depth = isShallow(git) ? ['--depth=1'] : []
  const fetched = git('fetch', '--quiet', '--no-tags', ...depth, 'origin', commit)
  if (fetched.ok) return { commit, what }
  return missing(`${commit}, ${what}, cannot be fetched${because(fetched)}`, FETCH_ALL)
}

const isShallow = (git) => git('rev-parse', '--is-shallow-repository').text === 'true'

/** Git in a folder. It never prompts for a password. */
function createGit(folder) {
  return (...parameters) => {
    const { status, stdout, stderr, error } = spawnSync('git', parameters, {
      cwd: folder,
      encoding: 'utf8',
      timeout: FETCH_MILLISECONDS,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
    })
    const message = (error?.message ?? stderr ?? '')
      .trim()
      .split('\n')[0]
      .replace(/^(?:fatal|error): /, '')
    return { ok: status === 0, text: (stdout ?? '').trim(), message }
  }
}
