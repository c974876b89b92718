/** The operations that flags of `sluice mesh config` mean. What is wrong usage: `test/fixtures/cli/usage.txtar`. */
import { expect, test } from 'vitest'
import { inFlags, readChanges } from '../../src/cli/mesh/changes.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'

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
  ).toEqual([
    { op: 'replace', field: { injection: { isAutoInjectEnabled: false } } },
    { op: 'replace', field: { telemetry: { samplerRatio: 0.5 } } },
    { op: 'replace', field: { prometheusAddress: 'a=b' } },
    { op: 'remove', field: { injection: { disabledNamespaces: ['old'] } } },
    { op: 'remove', field: { injection: { disabledNamespaces: [] } } },
    { op: 'remove', field: { tracing: {} } },
    { op: 'remove', field: { mtls: { mode: null } } },
    { op: 'add', field: { injection: { enabledNamespaces: ['prod', 'test'] } } },
  ]))

test('what has not the form of its field is sent as it is: the API says what it expects', () =>
  expect(operations({ set: ['injection.isAutoInjectEnabled=no', 'mlts.mode=strict'] })).toEqual([
    { op: 'replace', field: { injection: { isAutoInjectEnabled: 'no' } } },
    { op: 'replace', field: { mlts: { mode: 'strict' } } },
  ]))

test('a refusal calls operations by their flags', () => {
  const changes = readChanges((flag) => (flag === 'set' ? ['mtls.mode=never'] : []), names)
  expect(inFlags('operation 0, mtls.mode: expected one of off', changes)).toBe(
    '--set mtls.mode=never: expected one of off',
  )
})
