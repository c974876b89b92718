/** Whatever stands around a policy may be any JSON: no rule throws on it, under no setting. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lint } from '../../src/lint/lint.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { anyJson, type Draft, goodPolicy, pointersOf, withValueAt } from './policies.ts'

const { cases } = casesOf(import.meta.url)

/** One object of each kind, with every field that lookups read. */
const OTHERS: readonly Draft[] = cases('OTHERS')

const POLICIES: readonly Draft[] = [
  goodPolicy(),
  withValueAt(goodPolicy(), '/metadata/name', 'coffee-two'),
  withValueAt(withValueAt(goodPolicy(), '/metadata/name', 'edge'), '/spec/targetRefs/0', {
    group: 'gateway.networking.k8s.io',
    kind: 'Gateway',
    name: 'shop',
  }),
]

/** The objects, with up to three of their values replaced by something else. */
const mutated = fc
  .array(fc.record({ which: fc.nat(OTHERS.length - 1), where: fc.nat(), value: anyJson }), { maxLength: 3 })
  .map((changes) =>
    changes.reduce<readonly Draft[]>((objects, { which, where, value }) => {
      const pointers = pointersOf(objects[which] ?? null).filter(
        (pointer) => !/^(?:|\/kind|\/apiVersion)$/.test(pointer),
      )
      const pointer = pointers[where % Math.max(1, pointers.length)]
      return objects.map((object, index) =>
        index === which && pointer !== undefined ? withValueAt(object, pointer, value) : object,
      )
    }, OTHERS),
  )

const settings = fc.record({
  composition: fc.constantFrom('stack' as const, 'inherit' as const),
  conflict: fc.constantFrom('same-field' as const, 'any-field' as const),
  zoneNaming: fc.constantFrom('indexed' as const, 'keyed' as const),
})

it('any objects are looked up without a fault', () =>
  holdsFor(500)(mutated, settings, fc.boolean(), (others, chosen, closedWorld) => {
    const text = JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [...POLICIES, ...others] })
    const options = { closedWorld, settings: { ...DEFAULT_SETTINGS, ...chosen } }
    const { faults, report } = lint([{ file: 'objects.json', text }], options)
    expect(faults).toEqual([])
    for (const { message, help } of report.findings) expect(`${message} ${help}`).not.toMatch(/undefined|NaN|\[object/)
  }))
