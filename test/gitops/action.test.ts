/** The GitHub Action, step by step, as a runner runs it on real repositories. */
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { gitIn } from '../files/repository.ts'
import { casesOf } from '../support/cases.ts'
import { type Commits, checkOut, createOrigin, pullRequest, push } from './origin.ts'
import { type Ran, readAction, runAction } from './runner.ts'
import { hasSchemas, objectionsOf } from './schema.ts'
import { ROOT } from './shell.ts'

const { each } = casesOf(import.meta.url)

const KEYED = policy().replace('$binary_remote_addr', '$binary_remote_addr$host')

/** The branch changes a key, which only a comparison with the version before shows to be wrong. */
const createChange = (main = {}) =>
  createOrigin({ start: { 'k8s/coffee.yaml': policy() }, main, head: { 'k8s/coffee.yaml': KEYED } })

/** `error gateway/rate-syntax k8s/coffee.yaml:15`, one for each annotation. */
const annotations = ({ log }: Ran): readonly string[] =>
  [...log.matchAll(/^::(error|warning|notice) (.*?)::/gm)].map(([, kind, written = '']) => {
    const properties = new Map(written.split(',').map((part) => [part.split('=')[0], part.split('=')[1] ?? '']))
    const place = properties.has('file') ? ` ${properties.get('file')}:${properties.get('line')}` : ''
    return `${kind} ${properties.get('title')}${place}`
  })

const KEY_CHANGE = 'error gateway/key-change-without-zone-resize k8s/coffee.yaml:14'

describe('action.yml', () => {
  const action = readAction()

  it.runIf(hasSchemas)('is an action by the schema', () =>
    expect(objectionsOf('github-actions', join(ROOT, 'action.yml'))).toBe(''),
  )

  it('keeps every input out of its scripts', () =>
    expect(action.runs.steps.map(({ run }) => run).join('\n')).not.toContain('${{'))

  it('describes every input and output, and gives every input a default', () => {
    for (const [name, { description, default: otherwise }] of Object.entries(action.inputs)) {
      expect(description, name).toMatch(/\.$/)
      expect(otherwise, name).toBeTypeOf('string')
    }
    for (const { description, value } of Object.values(action.outputs)) {
      expect(description).toMatch(/\.$/)
      expect(value).toMatch(/^\$\{\{ steps\.lint\.outputs\.[\w-]+ \}\}$/)
    }
  })
})

/** The Node of this machine, which need not be the project's. */
const node = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((entry) => !entry.includes('node_modules'))
  .map((entry) => join(entry, 'node'))
  .find((path) => existsSync(path))

it.runIf(node)('runs with the Node of the machine', () => {
  const { url, commits } = createChange()
  const workspace = checkOut(url, commits.merge)
  const ran = runAction({ workspace, event: pullRequest(commits), programs: { node: node ?? '' } })
  expect(annotations(ran), ran.log).toContain(KEY_CHANGE)
})

/** What a run leaves behind: in `log` and `summary` a text that is in them. */
type Left = Omit<Partial<Ran>, 'log' | 'summary'> & {
  readonly annotations?: readonly string[]
  readonly log?: string | RegExp
  readonly summary?: string
}

function expectLeft(ran: Ran, { annotations: found, log = '', summary = '', ...rest }: Left): void {
  if (found) expect(annotations(ran), ran.log).toEqual(found)
  expect(ran.log).toMatch(log)
  expect(ran.summary).toContain(summary)
  expect(ran, ran.log).toMatchObject(rest)
}

/** Texts of files by their names in the tables. */
const TEXTS = new Map([
  ['POLICY', policy()],
  ['TEA', policy({ name: 'tea' })],
  ['WRONG', WRONG],
  ['WARNED', policy().replace('noDelay: true', 'delay: 30')],
  ['KEYED', KEYED],
])
type Named = Readonly<Record<string, string>>
const filesOf = (named: Named) =>
  Object.fromEntries(Object.entries(named).map(([path, text]) => [path, TEXTS.get(text) ?? text]))

/** `pull_request`, `push FROM TO` or the name of another event. */
function eventOf(words: string, commits: Commits) {
  const [name = '', before = '', after = ''] = words.split(' ')
  if (name === 'pull_request') return pullRequest(commits)
  if (name === 'push') return push(before, after)
  return { name, payload: { merge_group: { base_sha: commits.main, head_sha: commits.merge } } }
}

describe('what a change is compared with', () => {
  type Change = { readonly start?: Named; readonly main?: Named; readonly head?: Named }
  type Row = {
    readonly event: string
    readonly checkOut: keyof Commits
    readonly depth?: number
    readonly with?: Named
  }
  type Compared = Left & { readonly log?: string; readonly base?: string }

  each<[string, Change, Row, Compared]>(
    '%s',
    (_, change, row, { base, log = '', ...left }) => {
      const { start = { 'k8s/coffee.yaml': 'POLICY' }, main = {}, head = { 'k8s/coffee.yaml': 'KEYED' } } = change
      const { url, commits } = createOrigin({ start: filesOf(start), main: filesOf(main), head: filesOf(head) })
      const named = (text: string) => text.replace(/\b(?:START|MAIN|HEAD)\b/g, (one) => commitOf(commits, one))
      const workspace = checkOut(url, commits[row.checkOut], row.depth)
      const ran = runAction({ workspace, event: eventOf(named(row.event), commits), with: row.with ?? {} })
      expectLeft(ran, { ...left, log: named(log) })
      if (base !== undefined) expect(ran.outputs.base).toBe(named(base))
    },
    'what a change is compared with',
  )
})

const commitOf = ({ start, main, head }: Commits, name: string): string =>
  ({ START: start, MAIN: main, HEAD: head })[name] ?? name

describe('a pull request', () => {
  it('needs no rights: one from a fork is reported likewise, with annotations and summary', () => {
    const { url, commits } = createChange()
    const ran = runAction({
      workspace: checkOut(url, commits.merge),
      event: pullRequest(commits, true),
      env: { GITHUB_TOKEN: '', ACTIONS_RUNTIME_TOKEN: '' },
    })
    expect(annotations(ran), ran.log).toContain(KEY_CHANGE)
    expect(ran.summary).toContain('gateway/key-change-without-zone-resize')
    expect(ran.status).toBe(1)
  })

  it('is linted without a base where that cannot be fetched, and a warning says why', () => {
    const { url, commits } = createChange()
    const workspace = checkOut(url, commits.merge)
    gitIn(workspace)('remote', 'set-url', 'origin', `${url}-gone`)
    const ran = runAction({ workspace, event: pullRequest(commits) })
    expect(ran.log).toContain(
      `::warning title=sluice::${commits.main}, the target of the pull request, cannot be fetched (`,
    )
    expect(ran.log).toContain('so nothing is compared: use fetch-depth: 0 in actions/checkout\n')
    expect(ran).toMatchObject({ status: 0, outputs: { 'exit-code': '0', base: '' } })
  })

  it('leaves a whole clone whole', () => {
    const { url, commits, commit } = createChange()
    const workspace = checkOut(url, commits.main, 0)
    const later = commit({ 'k8s/tea.yaml': policy({ name: 'tea' }) })
    expect(runAction({ workspace, event: push(later, commits.main) }).outputs.base).toBe(later)
    expect(gitIn(workspace)('rev-parse', '--is-shallow-repository')).toBe('false')
  })
})

it.each([1, 0])('a push is compared with what it follows (depth %i)', (depth) => {
  const { url, commits, commit } = createOrigin({ start: {}, main: { 'k8s/coffee.yaml': policy() }, head: {} })
  const after = commit({ 'k8s/coffee.yaml': KEYED })
  const ran = runAction({ workspace: checkOut(url, after, depth), event: push(commits.main, after) })
  expect(annotations(ran), ran.log).toContain(KEY_CHANGE)
  expect(ran.outputs.base).toBe(commits.main)
})

describe('what fails', () => {
  const dispatch = { name: 'workflow_dispatch', payload: {} }

  each<[string, Named, Named, Left]>('what a run without a base says: %s', (_, files, given, left) =>
    expectLeft(runAction({ workspace: createFolder(filesOf(files)), event: dispatch, with: given }), left),
  )

  it('is a broken setting, which the log names and the summary points to', () => {
    const workspace = createFolder({ 'a.yaml': policy(), 'own.yaml': 'rulse: {}' })
    const ran = runAction({ workspace, event: dispatch, with: { config: 'own.yaml' } })
    expect(ran.log).toContain('own.yaml:1:1: rulse: unknown key; did you mean "rules"?')
    expect(ran.summary).toContain('sluice could not run')
    expect(ran.status).toBe(2)
  })

  it('is not a missing repository, but a warning says so', () => {
    const { commits } = createChange()
    const ran = runAction({ workspace: createFolder({ 'a.yaml': policy() }), event: pullRequest(commits) })
    expect(ran.log).toContain('::warning title=sluice::there is no Git commit here (not a git repository')
    expect(ran.status).toBe(0)
  })

  it('a runner without Node gets a message that says what to add', () => {
    const ran = runAction({ workspace: createFolder(), event: dispatch, programs: { bash: '/bin/bash' }, isBare: true })
    expect(ran).toMatchObject({ status: 2 })
    expect(ran.log).toContain('Node 20 or newer is needed: add a step with actions/setup-node before this one')
  })
})

describe('inputs', () => {
  const dispatch = { name: 'workflow_dispatch', payload: {} }

  it('name paths, one a line, of which the shell sees nothing', () => {
    const names = ['a file.yaml', '$(touch pwned).yaml', '-q.yaml', "'; touch pwned; '.yaml"]
    const workspace = createFolder(
      Object.fromEntries(names.map((name, index) => [name, policy({ name: `p${index}`, rate: '10R/S' })])),
    )
    const ran = runAction({ workspace, event: dispatch, with: { paths: `${names.join('\n')}\n` } })
    expect(ran.outputs.errors, ran.log).toBe('4')
    expect(existsSync(join(workspace, 'pwned'))).toBe(false)
  })

  it('write SARIF without what is suppressed, and say where', () => {
    const meant = '# sluice-disable-file gateway/rate-zero -- closed for the season\n'
    const closed = meant + policy({ name: 'tea', rate: '0r/s' })
    const workspace = createFolder({ 'k8s/a.yaml': WRONG, 'k8s/b.yaml': closed })
    const ran = runAction({ workspace, event: dispatch, with: { sarif: 'out.sarif', 'working-directory': 'k8s' } })
    expect(ran.outputs.sarif).toBe(join(workspace, 'k8s', 'out.sarif'))
    const [{ results }] = JSON.parse(readFileSync(ran.outputs.sarif ?? '', 'utf8')).runs
    expect(results.map(({ ruleId }: { ruleId: string }) => ruleId)).toContain('gateway/rate-syntax')
    expect(results.map(({ ruleId }: { ruleId: string }) => ruleId)).not.toContain('gateway/rate-zero')
    expect(annotations(ran)).toEqual(['error gateway/rate-syntax k8s/a.yaml:15'])
  })
})
