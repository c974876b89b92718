/** What `sluice lint` does about a fault of its own. */
import { describe, expect, it, vi } from 'vitest'
import type { AnyRule } from '../../src/engine/rule.ts'
import { createFolder, policy } from '../files/folder.ts'
import { sluice } from './run.ts'

vi.mock(import('../../rules/index.ts'), async (importOriginal) => {
  const { RULES, ...rest } = await importOriginal()
  const [first] = RULES
  if (!first) throw new Error('there are no rules')
  const broken: AnyRule = {
    ...first,
    id: 'gateway/broken',
    judges: 'RateLimitPolicy',
    check(view: { readonly identity: { readonly name?: string } }) {
      if (view.identity.name === 'broken') throw new Error('lost its way')
    },
  }
  return { ...rest, RULES: [...RULES, broken] }
})

describe('a rule that throws', () => {
  const files = { 'bad.yaml': policy({ name: 'broken', rate: '10R/S' }), 'good.yaml': policy() }

  it('is a fault, and exits with 3 whatever the other rules find', async () => {
    const { code, stdout, stderr } = await sluice(['lint', 'bad.yaml'], { cwd: createFolder(files) })
    expect(code).toBe(3)
    expect(stdout).toContain('gateway/rate-syntax')
    expect(stderr).toBe('sluice: a fault in rule gateway/broken, not in bad.yaml: lost its way\n')
  })

  it('exits with 3 where there is no finding, and beside a path that does not exist', async () => {
    const cwd = createFolder({ 'clean.yaml': policy({ name: 'broken' }) })
    expect((await sluice(['lint', 'clean.yaml'], { cwd })).code).toBe(3)
    expect((await sluice(['lint', 'clean.yaml', 'none.yaml'], { cwd })).code).toBe(3)
  })

  it('shows where it threw with --verbose', async () => {
    const { code, stderr } = await sluice(['lint', 'bad.yaml', '--verbose'], { cwd: createFolder(files) })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^ {4}at .*faults\.isolated\.test\.ts/m)
  })

  it('is no fault of a file that it does not throw on', async () =>
    expect((await sluice(['lint', 'good.yaml'], { cwd: createFolder(files) })).code).toBe(0))
})
