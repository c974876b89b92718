/** The layers of limits in the playground, from what the library says. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effective, type TextSource } from '../../src/browser.ts'
import { type ChangedBlock, changedBlocks, changedLines } from '../../src/studio/changed-lines.ts'
import { EXAMPLES } from '../../src/studio/playground/examples.ts'
import { stacksOf } from '../../src/studio/playground/layers.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'

const { cases } = casesOf(import.meta.url)

const filesOf = (title: string): readonly TextSource[] => EXAMPLES.find((one) => one.title === title)?.files ?? []

function layersOf(
  files: readonly TextSource[],
  target: string,
  settings: { readonly composition?: 'inherit' | 'stack' } = {},
) {
  const found = effective(files, target, { closedWorld: true, namespace: 'default', settings })
  if (!found.ok) throw new Error(JSON.stringify(found.problems))
  return stacksOf(found.value, files).flatMap(({ layers }) => layers)
}

const TWO = filesOf('A Gateway and a route of it')

it('limits of a Gateway are inherited by its routes, and its own at the Gateway', () => {
  const states = (target: string) => layersOf(TWO, target).map(({ name, state }) => `${name} ${state}`)
  expect(states('HTTPRoute/shop/coffee')).toEqual(['shop/edge inherited', 'shop/coffee own'])
  expect(states('Gateway/shop/edge')).toEqual(['shop/edge own'])
})

it('limits of a Gateway that a route replaces are shown as they are written', () => {
  const [own, overridden] = layersOf(TWO, 'HTTPRoute/shop/coffee', { composition: 'inherit' })
  expect(own).toMatchObject({ name: 'shop/coffee', state: 'own' })
  expect(overridden).toMatchObject(
    cases<object>('limits of a Gateway that a route replaces are shown as they are written'),
  )
})

it('a policy that the API server does not accept is rejected, with the reason', () => {
  const [rejected] = layersOf(filesOf('Mistakes, with fixes'), 'HTTPRoute/shop/coffee')
  expect(rejected).toMatchObject({ name: 'shop/coffee', state: 'rejected', reason: expect.stringMatching(/./) })
})

it('a policy on a Gateway of another controller is shown as it is written, with the reason', () => {
  const theirs = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'GatewayClass', metadata: { name: 'nginx' } }
  const file = { file: 'class.yaml', text: JSON.stringify({ ...theirs, spec: { controllerName: 'example.com/c' } }) }
  const states = layersOf([...TWO, file], 'HTTPRoute/shop/coffee').map(({ name, state }) => `${name} ${state}`)
  expect(states).toEqual(['shop/edge not-in-force', 'shop/coffee not-in-force'])
})

it('each limit says what becomes of requests above its rate', () => {
  const [layer] = layersOf(filesOf('A burst with a delay'), 'HTTPRoute/shop/coffee')
  expect(layer?.limits[0]?.details).toEqual(cases('each limit says what becomes of requests above its rate'))
})

it('limits of an API proxy have the lines on which they are written', () => {
  const text = JSON.stringify(cases<object>('an API proxy'), null, 2)
  const [layer] = layersOf([{ file: 'orders.json', text }], 'Proxy/orders')
  expect(layer).toMatchObject({ name: 'rate-limit[0]', state: 'own', limits: [{ what: '10r/s per uri' }] })
  expect(text.split('\n')[(layer?.at?.lines[0] ?? 0) - 1]).toContain('{')
})

/** Two versions of a text, put side by side. */

const textOf = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
const blocks = (before: string, after: string) => changedBlocks(changedLines(before, after))

describe('two versions side by side', () => {
  it('puts what was removed beside what was added in its place', () =>
    expect(blocks(textOf('a', 'rate: 10r/s', 'burst: 1', 'z'), textOf('a', 'rate: 20r/s', 'z'))).toEqual(
      cases('puts what was removed beside what was added in its place'),
    ))

  it('hides long stretches that do not change', () => {
    const same = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    const found = blocks(textOf('a', ...same, 'b'), textOf('x', ...same, 'y'))
    expect(found.map(({ kind }) => kind)).toEqual(['changed', 'same', 'hidden', 'same', 'changed'])
    expect(found[2]).toEqual({ kind: 'hidden', count: 14 })
  })

  it('has no block where nothing differs', () => expect(blocks(textOf('a'), textOf('a'))).toEqual([]))

  it('has every line that only one version has, on its side and in order', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '')).map((lines) => textOf(...lines))
    const removedIn = (found: readonly ChangedBlock[]) =>
      found.flatMap((one) => (one.kind === 'changed' ? one.removed : []))
    const addedIn = (found: readonly ChangedBlock[]) =>
      found.flatMap((one) => (one.kind === 'changed' ? one.added : []))
    holds(text, text, (before, after) => {
      const lines = changedLines(before, after)
      const found = changedBlocks(lines)
      const ofKind = (kind: string) => lines.flatMap((one) => (one.kind === kind && 'text' in one ? [one.text] : []))
      expect(removedIn(found)).toEqual(ofKind('removed'))
      expect(addedIn(found)).toEqual(ofKind('added'))
    })
  })
})
