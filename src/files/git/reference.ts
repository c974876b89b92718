/** References to commits, as users write them: `main`, `HEAD~1`, `origin/main...`. */
import { nearest } from '../../text/nearest.ts'
import { errorLineOf, type Git, type GitResult, outputOf } from './git.ts'

/** The files of a commit, as `git ls-tree -r -z` prints them; or why there are none. */
export type Listing =
  | { readonly state: 'listed'; readonly listing: Buffer }
  /** The repository has no commit yet. */
  | { readonly state: 'empty' }
  | { readonly state: 'problem'; readonly problem: string }

const fail = (problem: string): Listing => ({ state: 'problem', problem })

/**
 * Lists the files of a reference. `A...B` means the merge base of A and B; `A...` that of A and HEAD. Where Git does
 * not know the reference, the problem is one line with a remedy.
 */
export async function listReference(git: Git, written: string): Promise<Listing> {
  const problem = problemOf(written)
  if (problem !== undefined) return fail(problem)
  const [left = '', right] = written.split('...')
  if (right === undefined) return await listCommit(git, written, written)
  const [a, b] = [left || 'HEAD', right || 'HEAD']
  const base = await git.run('merge-base', a, b)
  if (base.code === 0) return await listCommit(git, outputOf(base), written)
  for (const part of [a, b]) {
    const known = await git.run('rev-parse', '--verify', '--quiet', `${part}^{commit}`)
    if (known.code !== 0) return await explain(git, part, known)
  }
  const hint = (await isShallow(git)) ? `: the clone is shallow; git fetch --unshallow gets its history` : ''
  return fail(`"${a}" and "${b}" have no commit in common${hint}`)
}

/** Why a reference cannot name a commit in any repository. */
function problemOf(written: string): string | undefined {
  const isRange = written.replace('...', '').includes('..')
  if (isRange)
    return `--base takes one commit, not a range: "A..." means the merge base of A and HEAD; got "${written}"`
  const isName = written !== '' && !/^-|[\s\p{Cc}]/u.test(written)
  return isName ? undefined : `--base takes a commit such as main, HEAD~1 or origin/main...; got "${written}"`
}

async function listCommit(git: Git, commit: string, written: string): Promise<Listing> {
  const result = await git.run('ls-tree', '-r', '-z', '--full-tree', `${commit}^{commit}`)
  return result.code === 0 ? { state: 'listed', listing: result.stdout } : await explain(git, written, result)
}

const isShallow = async (git: Git): Promise<boolean> =>
  outputOf(await git.run('rev-parse', '--is-shallow-repository')) === 'true'

const isKnown = async (git: Git, reference: string): Promise<boolean> =>
  (await git.run('rev-parse', '--verify', '--quiet', `${reference}^{commit}`)).code === 0

/** Says how a partial clone gets what it lacks; undefined where the clone is whole. Nothing is fetched without being asked. */
export async function partialCloneHint(git: Git): Promise<string | undefined> {
  const names = outputOf(await git.run('config', '--name-only', '--get-regexp', '^remote\\..+\\.promisor$'))
  const remote = /^remote\.(.+)\.promisor$/m.exec(names)?.[1]
  return remote === undefined
    ? undefined
    : `the clone is partial; git fetch --refetch --no-filter ${remote} gets what it lacks`
}

/** Why Git does not list a reference. */
async function explain(git: Git, written: string, result: GitResult): Promise<Listing> {
  if (result.code === undefined) return fail('Git cannot be started, and --base needs it: install git')
  const gitDir = await git.run('rev-parse', '--git-dir')
  if (gitDir.code !== 0) return fail(accessProblem(git, gitDir))
  const isEmpty = outputOf(await git.run('rev-list', '-n', '1', '--all')) === '' && !(await isKnown(git, 'HEAD'))
  if (isEmpty) return { state: 'empty' }
  if (await isKnown(git, written)) {
    const hint = await partialCloneHint(git)
    return fail(`Git cannot list the files of "${written}": ${hint ?? errorLineOf(result)}`)
  }
  return fail(await unknownReference(git, written))
}

function accessProblem({ root }: Git, result: GitResult): string {
  const message = errorLineOf(result)
  return message.includes('dubious ownership')
    ? `Git does not trust ${root}, as it belongs to another user: git config --global --add safe.directory ${root}`
    : `Git cannot read ${root}: ${message}`
}

async function unknownReference(git: Git, written: string): Promise<string> {
  const [name = ''] = written.split(/[~^@:]/)
  const shallow = await isShallow(git)
  if (name !== written && (await isKnown(git, name || 'HEAD'))) {
    const history = `Git knows "${name || 'HEAD'}" but not "${written}"`
    return shallow
      ? `${history}: the clone is shallow; git fetch --unshallow gets its history`
      : `${history}: its history does not go back that far`
  }
  const remotes = outputOf(await git.run('remote'))
    .split('\n')
    .filter(Boolean)
  const near = await nearestReference(git, name)
  if (near !== undefined) return `Git does not know "${written}" here; did you mean "${written.replace(name, near)}"?`
  const fetch = fetchCommand(name, remotes, shallow)
  if (shallow) return `the clone is shallow and does not hold "${written}": ${fetch ?? 'git fetch --unshallow'}`
  return `Git does not know "${written}" here; ${fetch ? `${fetch} may get it` : '"git branch --all" lists what it knows'}`
}

async function nearestReference(git: Git, name: string): Promise<string | undefined> {
  const spaces = ['refs/heads', 'refs/remotes', 'refs/tags']
  const names = outputOf(await git.run('for-each-ref', '--format=%(refname:short)', ...spaces)).split('\n')
  return nearest(name, names.filter(Boolean))
}

const LOOKS_LIKE_COMMIT = /^[0-9a-f]{7,64}$/

/** The command that fetches a branch; undefined for what is not a branch, and where the clone has no remote. */
function fetchCommand(name: string, remotes: readonly string[], shallow: boolean): string | undefined {
  const remote = remotes.find((known) => name.startsWith(`${known}/`))
  const depth = shallow ? '--depth=1 ' : ''
  if (remote !== undefined) {
    const branch = name.slice(remote.length + 1)
    return `git fetch ${depth}${remote} ${branch}:refs/remotes/${name}`
  }
  const [origin] = remotes.includes('origin') ? ['origin'] : remotes
  if (origin === undefined || name === 'HEAD' || LOOKS_LIKE_COMMIT.test(name)) return undefined
  return `git fetch ${depth}${origin} ${name}:${name}`
}
