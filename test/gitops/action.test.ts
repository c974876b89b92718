/** The GitHub Action, step by step, as a runner runs it on real repositories. */
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { gitIn } from '../files/repository.ts'
import { checkOut, createOrigin, pullRequest, push } from './origin.ts'
import { type Ran, readAction, runAction } from './runner.ts'
import { hasSchemas, objectionsOf } from './schema.ts'
import { ROOT } from './shell.ts'

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

  it.runIf(hasSchemas)('is an action by the schema', () => {
    expect(objectionsOf('github-actions', join(ROOT, 'action.yml'))).toBe('')
  })

  it('keeps every input out of its scripts', () => {
    expect(action.runs.steps.map(({ run }) => run).join('\n')).not.toContain('${{')
  })

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

describe('a pull request', () => {
  it.each([
    ['in a shallow clone', 1],
    ['in a clone that holds the base', 2],
    ['in a whole clone', 0],
  ])('is compared with what it would be merged into: %s', (_, depth) => {
    const { url, commits } = createChange({ 'k8s/tea.yaml': policy({ name: 'tea' }) })
    const ran = runAction({ workspace: checkOut(url, commits.merge, depth), event: pullRequest(commits) })
    expect(annotations(ran), ran.log).toContain(KEY_CHANGE)
    expect(ran.log).toContain(`sluice: comparing with ${commits.main}, the target of the pull request\n`)
    expect(ran.summary).toContain('gateway/key-change-without-zone-resize')
    expect(ran).toMatchObject({ status: 1, outputs: { 'exit-code': '1', errors: '1', base: commits.main, sarif: '' } })
  })

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

  it.each([
    ['shallow', 1],
    ['whole', 0],
  ])('whose own head is checked out is compared with where it began: %s', (_, depth) => {
    const { url, commits } = createOrigin({
      start: { 'k8s/coffee.yaml': KEYED },
      main: { 'k8s/coffee.yaml': policy() },
      head: { 'k8s/tea.yaml': policy({ name: 'tea' }) },
    })
    const ran = runAction({ workspace: checkOut(url, commits.head, depth), event: pullRequest(commits) })
    expect(annotations(ran), ran.log).not.toContain(KEY_CHANGE)
    expect(ran.outputs.base).toBe(commits.start)
  })

  it('leaves a whole clone whole', () => {
    const { url, commits, commit } = createChange()
    const workspace = checkOut(url, commits.main, 0)
    const later = commit({ 'k8s/tea.yaml': policy({ name: 'tea' }) })
    const ran = runAction({ workspace, event: push(later, commits.main) })
    expect(ran.outputs.base).toBe(later)
    expect(gitIn(workspace)('rev-parse', '--is-shallow-repository')).toBe('false')
  })
})

describe('a push', () => {
  it.each([1, 0])('is compared with what it follows (depth %i)', (depth) => {
    const { url, commits, commit } = createOrigin({ start: {}, main: { 'k8s/coffee.yaml': policy() }, head: {} })
    const after = commit({ 'k8s/coffee.yaml': KEYED })
    const ran = runAction({ workspace: checkOut(url, after, depth), event: push(commits.main, after) })
    expect(annotations(ran), ran.log).toContain(KEY_CHANGE)
    expect(ran.outputs.base).toBe(commits.main)
  })

  it('that is the first of its branch is compared with nothing', () => {
    const { url, commits } = createChange()
    const ran = runAction({ workspace: checkOut(url, commits.head), event: push('0'.repeat(40), commits.head) })
    expect(ran.log).toContain('sluice: this is the first push of a branch, so nothing is compared\n')
    expect(annotations(ran)).toEqual([])
    expect(ran).toMatchObject({ status: 0, outputs: { errors: '0' } })
  })

  it('that replaced a commit which is gone is linted, with a warning', () => {
    const { url, commits } = createChange()
    const ran = runAction({ workspace: checkOut(url, commits.main), event: push('a'.repeat(40), commits.main) })
    expect(annotations(ran)).toEqual(['warning sluice'])
    expect(ran.status).toBe(0)
  })
})

describe('a merge group', () => {
  it('is compared with what it is merged into', () => {
    const { url, commits } = createChange()
    const event = { name: 'merge_group', payload: { merge_group: { base_sha: commits.main, head_sha: commits.merge } } }
    const ran = runAction({ workspace: checkOut(url, commits.merge), event })
    expect(annotations(ran), ran.log).toContain(KEY_CHANGE)
    expect(ran.outputs.base).toBe(commits.main)
  })
})

describe('other events', () => {
  it('are compared with nothing', () => {
    const { url, commits } = createChange()
    const ran = runAction({ workspace: checkOut(url, commits.head), event: { name: 'workflow_dispatch', payload: {} } })
    expect(ran.log).toContain('sluice: an event such as "workflow_dispatch" has no base, so nothing is compared\n')
    expect(ran.status).toBe(0)
  })

  it('are compared with what the input says, fetched where a shallow clone lacks it', () => {
    const { url, commits } = createChange()
    const workspace = checkOut(url, commits.head)
    const event = { name: 'workflow_dispatch', payload: {} }
    const ran = runAction({ workspace, event, with: { base: 'origin/main...' } })
    expect(annotations(ran), ran.log).toContain(KEY_CHANGE)
    expect(ran.outputs.base).toBe('origin/main...')
  })
})

describe('what fails', () => {
  const dispatch = { name: 'workflow_dispatch', payload: {} }
  const WARNED = policy().replace('noDelay: true', 'delay: 30')

  it.each([
    [WRONG, 'error', 1],
    [WRONG, 'never', 0],
    [WARNED, 'error', 0],
    [WARNED, 'warning', 1],
    [WARNED, 'never', 0],
  ])('is decided by fail-on (%#)', (text, failOn, status) => {
    const ran = runAction({ workspace: createFolder({ 'a.yaml': text }), event: dispatch, with: { 'fail-on': failOn } })
    expect(ran.status, ran.log).toBe(status)
    expect(ran.outputs['exit-code']).toBe(text === WRONG || failOn === 'warning' ? '1' : '0')
    expect(ran.summary).toContain('### sluice: 1 ')
  })

  it('is input that cannot be read, whatever fail-on says', () => {
    const workspace = createFolder({ 'a.yaml': policy() })
    const ran = runAction({ workspace, event: dispatch, with: { paths: 'gone\na.yaml', 'fail-on': 'never' } })
    expect(ran.log).toContain('sluice: gone: no such file or folder')
    expect(ran).toMatchObject({ status: 2, outputs: { 'exit-code': '2' } })
  })

  it('is a word that fail-on does not know', () => {
    const ran = runAction({ workspace: createFolder(), event: dispatch, with: { 'fail-on': 'errors' } })
    expect(ran).toMatchObject({
      status: 2,
      log: '::error title=sluice::fail-on must be one of error, warning, never; got "errors"\n',
    })
  })

  it('is a broken setting, which the log names and the summary points to', () => {
    const workspace = createFolder({ 'a.yaml': policy(), 'own.yaml': 'rulse: {}' })
    const ran = runAction({ workspace, event: dispatch, with: { config: 'own.yaml' } })
    expect(ran.log).toContain('own.yaml:1:1: rulse: unknown key; did you mean "rules"?')
    expect(ran.summary).toContain('sluice could not run')
    expect(ran.status).toBe(2)
  })

  it('is not an empty folder, but a warning asks whether it was meant', () => {
    const ran = runAction({ workspace: createFolder(), event: dispatch })
    expect(ran.log).toContain(
      '::warning title=sluice::no file was found: is there a step with actions/checkout before this one?',
    )
    expect(ran.status).toBe(0)
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

  it('pass flags on, one a line', () => {
    const workspace = createFolder({ 'a.yaml': policy() })
    const ran = runAction({
      workspace,
      event: dispatch,
      with: { args: '--closed-world\n--rule=gateway/target-not-found=warning' },
    })
    expect(annotations(ran)).toEqual(['warning gateway/target-not-found a.yaml:10'])
  })

  it('name settings', () => {
    const workspace = createFolder({ 'a.yaml': WRONG, 'own.yaml': 'rules: { gateway/rate-syntax: off }' })
    expect(runAction({ workspace, event: dispatch, with: { config: 'own.yaml' } }).status).toBe(0)
  })
})
