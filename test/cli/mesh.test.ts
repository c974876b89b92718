/** What `sluice mesh` says before it asks a cluster, and the operations that flags mean. */
import { expect, test } from 'vitest'
import { inFlags, readChanges } from '../../src/cli/mesh/changes.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { sluice } from './run.ts'

const names = apiNames()

const operations = (flags: Partial<Record<'set' | 'remove' | 'add', readonly string[]>>) =>
  readChanges((flag) => flags[flag] ?? [], names).map(({ operation }) => operation)

test('flags are operations on fields, with values of the type of the field', () => {
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
  ])
})

test('what has not the form of its field is sent as it is: the API says what it expects', () => {
  expect(operations({ set: ['injection.isAutoInjectEnabled=no', 'mlts.mode=strict'] })).toEqual([
    { op: 'replace', field: { injection: { isAutoInjectEnabled: 'no' } } },
    { op: 'replace', field: { mlts: { mode: 'strict' } } },
  ])
})

test('a refusal calls operations by their flags', () => {
  const changes = readChanges((flag) => (flag === 'set' ? ['mtls.mode=never'] : []), names)
  expect(inFlags('operation 0, mtls.mode: expected one of off', changes)).toBe(
    '--set mtls.mode=never: expected one of off',
  )
})

test.each([
  [[], '"sluice mesh" takes config, services, inject, version, remove'],
  [['confg'], 'did you mean "sluice mesh config"?'],
  [['config', 'services'], '"sluice mesh" takes config,'],
  [['services', '--set', 'a=b'], '--set is a flag of "sluice mesh config"'],
  [['config', '--yes'], '--yes is a flag of "sluice mesh remove"'],
  [['config', '--sett', 'a=b'], 'did you mean --set?'],
  [['config', '--dry-run'], '--dry-run needs --set or --remove or --add'],
  [['version', '--format', 'yaml'], '--format must be text or json; got "yaml"'],
  [['config', '--kubeconfig', 'none'], '--kubeconfig none: no such file or folder'],
  [['inject', '--ignore-incoming-ports', '80'], '--ignore-incoming-ports needs --filename'],
])('sluice mesh %j is refused in one line', async (words, message) => {
  const { code, stderr } = await sluice(['mesh', ...words])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^sluice: .*\n$/) })
  expect(stderr).toContain(message)
})
