/** The library builds the kustomizations among its sources as the command line builds those of a folder. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { effective, fix, lint, type Result, render, simulate, status } from '../../src/browser.ts'
import { sluice } from '../cli/run.ts'
import { createFolder } from '../files/folder.ts'
import { casesOf } from '../support/cases.ts'
import { readArchive } from '../support/txtar.ts'

const { cases, each } = casesOf(import.meta.url)

const { files } = readArchive(readFileSync(new URL('kustomize.txtar', import.meta.url), 'utf8'))
const FILES = Object.fromEntries(files)
const RIGHT = files.get('base/policy.yaml')?.replace('10R/S', '10r/s') ?? ''

const sourcesOf = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([file, text]) => ({ file, text }))
const sources = sourcesOf(FILES)
const corrected = sourcesOf({ ...FILES, 'base/policy.yaml': RIGHT })

function unwrap<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value
}

const jsonFrom = async (files: Readonly<Record<string, string>>, ...argv: readonly string[]) => {
  const { stdout } = await sluice([...argv, '--format', 'json'], { cwd: createFolder(files) })
  return JSON.parse(stdout)
}
const jsonOf = (...argv: readonly string[]) => jsonFrom(FILES, ...argv)

/** A Kustomization of Flux. */
const flux = (name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', metadata: { name }, spec })

describe('with the option `kustomize`', () => {
  it('lint finds what the command line finds', async () => {
    const { findings, summary, notJudged } = unwrap(lint(sources, { kustomize: true }))
    const shown = await jsonOf('lint', '.')
    expect({ findings, notJudged }).toEqual({ findings: shown.findings, notJudged: shown.notJudged ?? [] })
    expect(summary.errors).toBe(2)
    expect(findings.map(({ file, line, builds }) => [file, line, builds])).toEqual(
      cases('lint finds what the command line finds'),
    )
  })

  it('lint finds in what Flux deploys what the command line finds', async () => {
    const sourceRef = { kind: 'GitRepository', name: 'fleet' }
    const files = {
      ...FILES,
      'base/policy.yaml': RIGHT.replace('10r/s', '"${RATE}"'),
      'clusters/eu.json': flux('eu', { path: './base', sourceRef, postBuild: { substitute: { RATE: '5R/s' } } }),
      'clusters/us.json': flux('us', { path: './basse', sourceRef }),
    }
    const { findings, notJudged } = unwrap(lint(sourcesOf(files), { kustomize: true }))
    const shown = await jsonFrom(files, 'lint', '.')
    expect({ findings, notJudged }).toEqual({ findings: shown.findings, notJudged: shown.notJudged })
    expect(findings.map(({ file, rule }) => [file, rule])).toEqual(
      cases('lint finds in what Flux deploys what the command line finds'),
    )
  })

  it('lint compares with the version before, as it was built', () => {
    const before = sourcesOf({ ...FILES, 'base/policy.yaml': RIGHT.replace('$binary_remote_addr', '$uri') })
    const { findings } = unwrap(
      lint(sources, { kustomize: true, previous: before, only: ['key-change-without-zone-resize'] }),
    )
    expect(findings.map(({ file, builds }) => [file, builds])).toEqual([['base/policy.yaml', ['overlays/us']]])
  })

  it('fix changes the base or the patch', () => {
    const { changed } = unwrap(fix(sources, { kustomize: true }))
    expect(changed.map(({ file, text }) => [file, text])).toEqual([['base/policy.yaml', RIGHT]])
  })

  it('effective, status and render look at what is built', async () => {
    const options = { kustomize: true, world: 'overlays/us' }
    expect(unwrap(effective(sources, 'HTTPRoute/us/coffee', options))).toEqual(
      await jsonOf('effective', 'HTTPRoute/us/coffee', '.', '--world', 'overlays/us'),
    )
    const [own] = unwrap(status(sources, { ...options, now: '2026-01-31T12:00:00Z' }))
    expect(own?.policies.map(({ namespace, name }) => [namespace, name])).toEqual([['us', 'coffee']])
    const { gateways } = unwrap(render(corrected, { kustomize: true, gateway: 'us/edge', world: 'overlays/us' }))
    expect(JSON.stringify(gateways)).toContain('us_rl_coffee_rule0')
  })

  it('simulate sends its requests to what is built', () => {
    const options = { kustomize: true, world: 'overlays/us', route: 'HTTPRoute/us/coffee' }
    expect(unwrap(simulate(corrected, { clients: 1, rate: '1r/s', for: '2s' }, options)).totals.requests).toBe(2)
    const compared = { ...options, compare: corrected }
    expect(unwrap(simulate(corrected, { clients: 1, rate: '1r/s', for: '2s' }, compared)).comparison).toBeDefined()
  })

  it('names of files may be written in other ways', () => {
    const dotted = sources.map(({ file, text }) => ({ file: `./${file}`, text }))
    expect(unwrap(lint(dotted, { kustomize: true })).summary).toEqual(
      unwrap(lint(sources, { kustomize: true })).summary,
    )
  })

  each<[string, readonly (number | string)[]]>(
    'says what cannot be built, as the command line does: %s',
    async (text, [line, column, reason]) => {
      const files = { ...FILES, 'overlays/us/kustomization.yaml': text }
      const found = unwrap(lint(sourcesOf(files), { kustomize: true, only: ['document/kustomization'] })).findings
      expect(found).toMatchObject([
        { file: 'overlays/us/kustomization.yaml', line, column, message: `kustomize refuses this: ${reason}` },
      ])
      const argv = ['lint', '.', '--only', 'document/kustomization', '--format', 'json']
      const { stdout } = await sluice(argv, { cwd: createFolder(files) })
      expect(found).toEqual(JSON.parse(stdout).findings)
    },
  )
})

it('without the option each text is looked at as it is', () =>
  expect(unwrap(lint(sources)).findings.map(({ file }) => file)).toContain('base/policy.yaml'))
