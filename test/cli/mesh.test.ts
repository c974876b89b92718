/** The operations that flags of `sluice mesh config` mean. What is wrong usage: `test/fixtures/cli/usage.txtar`. */
import { expect, test } from 'vitest'
import { inFlags, readChanges } from '../../src/cli/mesh/changes.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

const names = apiNames()

const operations = (flags: Partial<Record<'set' | 'remove' | 'add', readonly string[]>>) =>
  readChanges((flag) => flags[flag] ?? [], names).map(({ operation }) => operation)

test('flags are operations on fields, with values of the type of the field', () =>
  expect(
    operations({
      add: ['injection.enabledNamespaces=prod,test'],
      set: ['injection.isAutoInjectEnabled=false', 'telemetry.samplerRatio=0.5', 'prometheusAddress=a=b'],
      remove: ['injection.disabledNamespaces=old', 'injection.disabledNamespaces', 'tracing', 'mtls.mode'],
    }),
  ).toEqual(cases('flags are operations on fields, with values of the type of the field')))

test('what has not the form of its field is sent as it is: the API says what it expects', () =>
  expect(operations({ set: ['injection.isAutoInjectEnabled=no', 'mlts.mode=strict'] })).toEqual(
    cases('what has not the form of its field is sent as it is: the API says what it expects'),
  ))

test('a refusal calls operations by their flags', () => {
  const changes = readChanges((flag) => (flag === 'set' ? ['mtls.mode=never'] : []), names)
  expect(inFlags('operation 0, mtls.mode: expected one of off', changes)).toBe(
    '--set mtls.mode=never: expected one of off',
  )
})
