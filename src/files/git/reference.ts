/** References to commits, as people write them: `main`, `HEAD~1`, `origin/main...`. */
import { nearest } from '../../text/nearest.ts'
import { complaintOf, type Git, type GitAnswer, textOf } from './git.ts'

/** The files of a commit, as `git ls-tree -r -z` prints them; or why there are none. */
export type Listing =
  | { readonly state: 'listed'; readonly listing: Buffer }
  /** The repository has no commit yet. */
  | { readonly state: 'empty' }
  | { readonly state: 'refused'; readonly problem: string }

const refuse = (problem: string): Listing => ({ state: 'refused', problem })

/**
 * Lists the files of a reference. `A...` and `A...B` mean the commit at which A and B (else HEAD) part. Where Git does
 * not know it, the problem is one line that says what to do.
 */
export async function listReference(git: Git, written: string): Promise<Listing> {
  const problem = problemOf(written)
  if (problem !== undefined) return refuse(problem)
  const [left = '', right] = written.split('...')
  if (right === undefined) return await listCommit(git, written, written)
  const [a, b] = [left || 'HEAD', right || 'HEAD']
  const base = await git.ask('merge-base', a, b)
  if (base.code === 0) return await listCommit(git, textOf(base), written)
  for (const part of [a, b]) {
    const known = await git.ask('rev-parse', '--verify', '--quiet', `${part}^{commit}`)
    if (known.code !== 0) return await explain(git, part, known)
  }
  const mend = (await isShallow(git)) ? `: the clone is shallow; git fetch --unshallow gets its history` : ''
  return refuse(`"${a}" and "${b}" have no commit in common${mend}`)
}

/** What is no name of a commit, whatever the repository. */
function problemOf(written: string): string | undefined {
  const isRange = written.replace('...', '').includes('..')
  if (isRange) return `--base is one commit, not a range: "A..." means where A and HEAD part; got "${written}"`
  const isName = written !== '' && !/^-|[\s\p{Cc}]/u.test(written)
  return isName ? undefined : `--base is a commit such as main, HEAD~1 or origin/main...; got "${written}"`
}

async function listCommit(git: Git, commit: string, written: string): Promise<Listing> {
  const answer = await git.ask('ls-tree', '-r', '-z', '--full-tree', `${commit}^{commit}`)
  return answer.code === 0 ? { state: 'listed', listing: answer.stdout } : await explain(git, written, answer)
}

const isShallow = async (git: Git): Promise<boolean> =>
  textOf(await git.ask('rev-parse', '--is-shallow-repository')) === 'true'

const isKnown = async (git: Git, reference: string): Promise<boolean> =>
  (await git.ask('rev-parse', '--verify', '--quiet', `${reference}^{commit}`)).code === 0

/** Why Git does not list a reference. */
async function explain(git: Git, written: string, answer: GitAnswer): Promise<Listing> {
  if (answer.code === undefined) return refuse('Git cannot be started, and --base needs it: install git')
  const here = await git.ask('rev-parse', '--git-dir')
  if (here.code !== 0) return refuse(distrust(git, here))
  const isEmpty = textOf(await git.ask('rev-list', '-n', '1', '--all')) === '' && !(await isKnown(git, 'HEAD'))
  if (isEmpty) return { state: 'empty' }
  if (await isKnown(git, written)) return refuse(`Git cannot list the files of "${written}": ${complaintOf(answer)}`)
  return refuse(await unknownReference(git, written))
}

function distrust({ root }: Git, answer: GitAnswer): string {
  const complaint = complaintOf(answer)
  return complaint.includes('dubious ownership')
    ? `Git does not trust ${root}, as it belongs to somebody else: git config --global --add safe.directory ${root}`
    : `Git cannot read ${root}: ${complaint}`
}

async function unknownReference(git: Git, written: string): Promise<string> {
  const [name = ''] = written.split(/[~^@:]/)
  const shallow = await isShallow(git)
  if (name !== written && (await isKnown(git, name || 'HEAD'))) {
    const history = `Git knows "${name || 'HEAD'}" but not "${written}"`
    return shallow
      ? `${history}: the clone is shallow; git fetch --unshallow gets its history`
      : `${history}: its history does not go back so far`
  }
  const remotes = textOf(await git.ask('remote'))
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
  const names = textOf(await git.ask('for-each-ref', '--format=%(refname:short)', ...spaces)).split('\n')
  return nearest(name, names.filter(Boolean))
}

const LOOKS_LIKE_COMMIT = /^[0-9a-f]{7,64}$/

/** What gets a branch from where the clone came from; undefined for what is no branch, or came from nowhere. */
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
