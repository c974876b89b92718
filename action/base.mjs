/** The commit that a change started from, as the event says, fetched where a shallow clone lacks it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Longer than any fetch of one commit takes; a server that does not answer must not hold up the job. */
const FETCH_MILLISECONDS = 180_000

/**
 * Finds the commit to compare with: `{ commit, what }`, or `{ reason }` where there is none, and with `isProblem` where
 * there should be one.
 */
export function findBase({ base, args, folder }, env) {
  if (base === 'none') return { reason: 'the input base is "none"' }
  if (args.some((argument) => /^--(?:base|old|cluster)(?:=|$)/.test(argument)))
    return { reason: 'args say what to compare with' }
  const git = createGit(folder)
  if (base !== '') return givenBase(base, git)
  const start = startOf(env.GITHUB_EVENT_NAME, readEvent(env.GITHUB_EVENT_PATH))
  if (start.reason) return start
  const here = git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')
  if (!here.ok) return missing(`Git knows no commit here${because(git('rev-parse', '--git-dir'))}`)
  return start.isBranch ? baseOfBranch(start, git, env.GITHUB_SHA) : baseOfCommit(start, git)
}

const missing = (reason) => ({ reason, isProblem: true })

const because = ({ complaint }) => (complaint === '' ? '' : ` (${complaint})`)

/** What someone wrote is looked for as it is written; sluice says what is wrong with it. */
function givenBase(base, git) {
  const name = base.split('...')[0]
  const isThere = git('rev-parse', '--verify', '--quiet', `${name || 'HEAD'}^{commit}`).ok
  if (isShallow(git) && (!isThere || base.includes('...'))) {
    const branch = /^origin\/(.+)$/.exec(name)?.[1]
    const wanted = branch ? [`+refs/heads/${branch}:refs/remotes/origin/${branch}`] : []
    git('fetch', '--quiet', '--no-tags', '--unshallow', 'origin')
    if (wanted.length > 0) git('fetch', '--quiet', '--no-tags', 'origin', ...wanted)
  }
  return { commit: base, what: 'as the input base says' }
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

/** What an event says of the commit before the change. */
function startOf(name, event) {
  const starts = {
    pull_request: {
      commit: event.pull_request?.base?.sha,
      what: 'what the pull request is merged into',
      isBranch: true,
    },
    merge_group: { commit: event.merge_group?.base_sha, what: 'what the merge group is merged into' },
    push: { commit: event.before, what: 'what this push follows' },
  }
  const start = starts[name === 'pull_request_target' ? 'pull_request' : name]
  if (!start) return { reason: `an event such as "${name ?? ''}" has no base` }
  if (NOTHING.test(start.commit ?? '')) return { reason: 'this is the first push of a branch' }
  return COMMIT.test(start.commit ?? '') ? start : missing(`the event "${name}" names no commit`)
}

/** The runner checks out the merge of a pull request: its first parent is where the branch would be merged. */
function baseOfBranch({ commit, what }, git, merge) {
  const [head, first, second] = commitsOf(git)
  if (second && head === merge) return baseOfCommit({ commit: first, what }, git)
  const tip = baseOfCommit({ commit, what }, git)
  if (!tip.commit) return tip
  const parted = git('merge-base', commit, 'HEAD')
  if (parted.ok) return { commit: parted.text, what: 'where the branch began' }
  // Without history nobody knows where the branch began, and what happened since would look like its changes.
  const whole = isShallow(git) ? git('fetch', '--quiet', '--no-tags', '--unshallow', 'origin', commit) : parted
  const later = git('merge-base', commit, 'HEAD')
  if (later.ok) return { commit: later.text, what: 'where the branch began' }
  return missing(
    `the history back to ${commit} cannot be fetched${because(whole)}; fetch-depth: 0 in actions/checkout brings it`,
  )
}

/** HEAD and its parents, which the commit names even where the clone lacks them. */
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
  // A depth would make a whole clone shallow.
  const depth = isShallow(git) ? ['--depth=1'] : []
  const fetched = git('fetch', '--quiet', '--no-tags', ...depth, 'origin', commit)
  if (fetched.ok) return { commit, what }
  return missing(
    `${commit}, ${what}, cannot be fetched${because(fetched)}; fetch-depth: 0 in actions/checkout brings it`,
  )
}

const isShallow = (git) => git('rev-parse', '--is-shallow-repository').text === 'true'

/** Git in a folder, which asks nobody for a password. */
function createGit(folder) {
  return (...parameters) => {
    const { status, stdout, stderr, error } = spawnSync('git', parameters, {
      cwd: folder,
      encoding: 'utf8',
      timeout: FETCH_MILLISECONDS,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
    })
    const complaint = (error?.message ?? stderr ?? '')
      .trim()
      .split('\n')[0]
      .replace(/^(?:fatal|error): /, '')
    return { ok: status === 0, text: (stdout ?? '').trim(), complaint }
  }
}
