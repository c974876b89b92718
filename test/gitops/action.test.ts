/** The GitHub Action, step by step, as a runner runs it: what no transcript shows. The others: `test/fixtures/action/`. */
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
const createChange = () => createOrigin({ start: { 'k8s/coffee.yaml': policy() }, head: { 'k8s/coffee.yaml': KEYED } })

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

it('leaves a whole clone whole', () => {
  const { url, commits, commit } = createChange()
  const workspace = checkOut(url, commits.main, 0)
  const later = commit({ 'k8s/tea.yaml': policy({ name: 'tea' }) })
  const ran = runAction({ workspace, event: push(later, commits.main) })
  expect(ran.outputs.base).toBe(later)
  expect(gitIn(workspace)('rev-parse', '--is-shallow-repository')).toBe('false')
})

const dispatch = { name: 'workflow_dispatch', payload: {} }

it('a runner without Node gets a message that says what to add', () => {
  const ran = runAction({ workspace: createFolder(), event: dispatch, programs: { bash: '/bin/bash' }, isBare: true })
  expect(ran).toMatchObject({ status: 2 })
  expect(ran.log).toContain('Node 20 or newer is needed: add a step with actions/setup-node before this one')
})

describe('inputs', () => {
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
