/** What is left out is in the values and problems of the library. The commands: `test/fixtures/cli/left-out.txtar`. */
import { expect, it } from 'vitest'
import { effective, lint, render, simulate, status } from '../../src/index.ts'
import { policy } from '../files/folder.ts'
import { GATEWAY } from './manifests.ts'

const SHOP = GATEWAY.text
const DEEP = `${'['.repeat(101)}${']'.repeat(101)}`
const broken = [
  { file: 'shop.yaml', text: SHOP },
  { file: 'a.yaml', text: `${policy()}      - [\n` },
]
const notJudged = [{ file: 'a.yaml', line: 19, reason: 'a bracket is never closed, so its objects are left out' }]

it('is in the values of all queries', () => {
  expect(effective(broken, 'HTTPRoute/coffee')).toMatchObject({ value: { notJudged } })
  expect(status(broken)).toMatchObject({ value: [{ notJudged }] })
  expect(render(broken)).toMatchObject({ value: { notJudged } })
  const traffic = { clients: 1, rate: '1r/s', for: '2s' }
  expect(simulate(broken, traffic)).toMatchObject({ value: { notJudged } })
  const old = notJudged.map((one) => ({ ...one, reason: `in the version to compare with, ${one.reason}` }))
  expect(simulate([{ file: 'shop.yaml', text: SHOP }], traffic, { compare: broken })).toMatchObject({
    value: { notJudged: old },
  })
})

it('is beside the problem where nothing is found', () =>
  expect(effective(broken, 'HTTPRoute/tea')).toMatchObject({
    ok: false,
    problems: [{}, { path: '', message: 'a.yaml:19: a bracket is never closed, so its objects are left out' }],
  }))

it('says why a kustomization cannot be built', () => {
  const sources = [
    { file: 'kustomization.yaml', text: `resources: [a.yaml]\nx: ${DEEP}\n` },
    { file: 'a.yaml', text: `${SHOP}---\n${policy()}` },
  ]
  const reason = 'nested deeper than 100 levels'
  expect(lint(sources, { kustomize: true })).toMatchObject({
    value: { notJudged: [{ file: 'kustomization.yaml', reason }] },
  })
  expect(effective(sources, 'HTTPRoute/coffee', { kustomize: true })).toMatchObject({
    value: { notJudged: [{ file: 'kustomization.yaml', reason: `${reason}, so what it changes is left out` }] },
  })
})
