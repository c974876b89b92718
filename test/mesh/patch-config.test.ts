/** Patches of the mesh's configuration: what each operation does, what is refused, and that the remedies help. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/json/member.ts'
import { valueAt } from '../../src/json/pointer.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { configFaults, initialConfig } from '../../src/mesh/config.ts'
import type { ConfigOperation } from '../../src/mesh/contradictions.ts'
import { describeOperationError, patchConfig } from '../../src/mesh/patch-config.ts'
import { runs } from '../runs.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

const NAMES = apiNames()
const NEW = initialConfig(NAMES)

/** The configuration after patches, of which each is accepted. */
function configAfter(...bodies: readonly Json[]): JsonObject {
  let document = NEW
  for (const body of bodies) {
    const patched = patchConfig(document, body, NAMES)
    if ('errors' in patched) throw new Error(patched.errors.map(describeOperationError).join('\n'))
    document = patched.document
  }
  return document
}

const refusals = (body: Json, document = NEW): readonly string[] => {
  const patched = patchConfig(document, body, NAMES)
  return 'errors' in patched ? patched.errors.map(describeOperationError) : []
}

const replace = (field: JsonObject): JsonObject => ({ op: 'replace', field })
const add = (field: JsonObject): JsonObject => ({ op: 'add', field })
const OFF = replace({ injection: { isAutoInjectEnabled: false } })
const enabled = (...enabledNamespaces: readonly string[]) => ({ injection: { enabledNamespaces } })
const OTLP = { exporters: { otlp: { host: 'collector', port: 4317 } } }
const ZIPKIN = { isEnabled: true, backend: 'zipkin', backendAddress: 'zipkin:9411' }

it('a new mesh has the documented configuration, with nothing wrong in it', () => {
  expect(NEW).toMatchObject(cases<object>('a new mesh has the documented configuration, with nothing wrong in it'))
  expect(configFaults(NEW, NAMES)).toEqual([])
})

it('the names of another vendor are in its configuration', () => {
  const config = initialConfig(apiNames({ vendor: 'acme', platform: 'k8s' }))
  expect(config).toMatchObject({ namespace: 'acme-mesh', sidecarImage: { name: 'acme-mesh-sidecar' } })
})

describe('operations', () => {
  each<[string, readonly Json[], string, Json | undefined]>(
    '%s',
    (_, bodies, pointer, expected) => {
      const config = configAfter(...bodies)
      expect(valueAt(config, pointer)).toEqual(expected)
      expect(configFaults(config, NAMES)).toEqual([])
    },
    'operations',
  )

  it('a long patch takes the time of its operations', () => {
    const body = Array.from({ length: 10_000 }, (_, index) => add(enabled(`n${index}`)))
    expect(valueAt(configAfter([OFF, ...body]), '/injection/enabledNamespaces')).toHaveLength(10_000)
  })

  it('leaves the document and the body as they are', () => {
    const before = structuredClone(NEW)
    const body = [OFF, add(enabled('a'))]
    configAfter(body)
    expect(NEW).toEqual(before)
    expect(body).toEqual([OFF, add(enabled('a'))])
  })

  it('keeps members that this version does not know', () => {
    const patched = patchConfig({ ...NEW, later: { x: 1 } }, replace({ mtls: { mode: 'off' } }), NAMES)
    expect(patched).toMatchObject({ document: { later: { x: 1 }, mtls: { mode: 'off' } } })
  })
})

describe('refused', () => {
  it.each<[Json, readonly string[]]>([
    [null, ['operation 0: expected an operation {"op": …, "field": {…}}, got null']],
    [[], ['operation 0: expected at least one operation']],
    [[OFF, 'x'], ['operation 1: expected an operation {"op": …, "field": {…}}, got "x"']],
    [[[]], ['operation 0: expected an operation {"op": …, "field": {…}}, got a list']],
    [
      { op: 'set', field: {} },
      [
        'operation 0, op: expected one of add, remove, replace, got "set"',
        'operation 0, field: names no field to change',
      ],
    ],
    [
      { op: 'Replce', field: { mtls: {} } },
      ['operation 0, op: expected one of add, remove, replace, got "Replce"; did you mean "replace"?'],
    ],
    [
      {},
      [
        'operation 0, op: is missing; expected one of add, remove, replace',
        'operation 0, field: is missing; expected an object with the fields to change',
      ],
    ],
    [
      { op: 'add', field: [], path: '/x' },
      [
        'operation 0, path: unknown member; an operation has op and field',
        'operation 0, field: expected an object, got a list',
      ],
    ],
    [replace({ mtls: {} }), ['operation 0, mtls: names no field to change']],
    [replace({ mtls: 'strict' }), ['operation 0, mtls: expected an object, got "strict"']],
    [
      replace({ mtls: { mode: 'Strict' } }),
      ['operation 0, mtls.mode: expected one of off, permissive, strict, got "Strict"'],
    ],
    [replace({ mtls: { mod: 'strict' } }), ['operation 0, mtls.mod: unknown field; did you mean "mtls.mode"?']],
    [replace({ mtsl: { mode: 'strict' } }), ['operation 0, mtsl: unknown field; did you mean "mtls"?']],
    [
      replace({ disabledNamespaces: ['a'] }),
      ['operation 0, disabledNamespaces: unknown field; did you mean "injection.disabledNamespaces"?'],
    ],
    [
      replace({ environment: 'openshift' }),
      ['operation 0, environment: is set when the mesh is installed, and cannot be changed'],
    ],
    [
      replace({ proxy: { transparent: true } }),
      ['operation 0, proxy: is set when the mesh is installed, and cannot be changed'],
    ],
    [
      replace({ injection: { isAutoInjectEnabled: 'no' } }),
      ['operation 0, injection.isAutoInjectEnabled: expected true or false, got "no"'],
    ],
    [
      add({ injection: { enabledNamespaces: 'a' } }),
      ['operation 0, injection.enabledNamespaces: expected a list of strings, got "a"'],
    ],
    [
      [OFF, add(enabled('a', 'B'))],
      [
        'operation 1, injection.enabledNamespaces[1]: expected the name of a namespace: at most 63 lower-case letters, digits and hyphens, got "B"',
      ],
    ],
    [replace({ mtls: { caTTL: '23h' } }), ['operation 0, mtls.caTTL: expected hours from 24h to 999999h, got "23h"']],
    [
      replace({ isAutoInjectEnabled: false, injection: { isAutoInjectEnabled: true } }),
      ['operation 0, injection.isAutoInjectEnabled: is named twice with different values'],
    ],
    [
      add({ tracing: { backend: 'zipkin' } }),
      ['operation 0, tracing.backend: a backend needs backendAddress; set or remove both in one patch'],
    ],
    [
      add({ tracing: { backendAddress: 'z:1' } }),
      ['operation 0, tracing.backendAddress: the address of a backend needs backend; set or remove both in one patch'],
    ],
    [
      add({ tracing: ZIPKIN, telemetry: OTLP }),
      [
        'operation 0, tracing.isEnabled: tracing and telemetry cannot both be on: telemetry is on while telemetry.exporters.otlp.host is set',
      ],
    ],
    [
      replace({ __proto__: 1, constructor: 2 }),
      [expect.stringMatching(/^operation 0, constructor: unknown field; known are /)],
    ],
  ])('%j', (body, expected) => {
    expect(refusals(body)).toEqual(expected)
  })

  it('one wrong operation refuses all, and each wrong one is named', () => {
    const body = [replace({ mtls: { mode: 'off' } }), replace({ mtls: { mode: 1 } }), replace({ x: 1 })]
    expect(refusals(body).map((line) => line.slice(0, 12))).toEqual(['operation 1,', 'operation 2,'])
  })

  it('a contradiction that is stored already refuses no patch of other fields', () => {
    const stored = {
      ...NEW,
      injection: { isAutoInjectEnabled: true, enabledNamespaces: ['a'], disabledNamespaces: [] },
    }
    expect(refusals(replace({ mtls: { mode: 'off' } }), stored)).toEqual([])
    expect(refusals(add(enabled('b')), stored)).toHaveLength(1)
  })
})

describe('the operations to send first help', () => {
  each<[string, readonly Json[], Json, string]>(
    '%s',
    (_, before, body, first) => {
      const document = configAfter(...before)
      const patched = patchConfig(document, body, NAMES)
      expect(refusals(body, document)).toEqual([expect.stringMatching(/; first send /)])
      const told = 'errors' in patched ? patched.errors[0]?.first : undefined
      expect(JSON.stringify(told?.length === 1 ? told[0] : told)).toBe(first)
      expect(configAfter(...before, JSON.parse(first), body)).toBeDefined()
    },
    'the operations to send first help',
  )

  it('where nothing helps, nothing is told', () => {
    const body = [add(enabled('a')), replace({ injection: { isAutoInjectEnabled: true } })]
    expect(refusals(body)).toEqual([
      'operation 1, injection.enabledNamespaces: namespaces cannot be enabled one by one while automatic injection is enabled for all',
    ])
    const both = add({ injection: { enabledNamespaces: ['q'], disabledNamespaces: ['r'] } })
    for (const on of [true, false]) {
      const document = configAfter(replace({ injection: { isAutoInjectEnabled: on } }))
      expect(refusals(both, document)).toEqual([expect.not.stringContaining('first send')])
    }
  })
})

describe('for any patches', () => {
  const namespaces = fc.array(fc.constantFrom('a', 'b', 'c', 'D'), { maxLength: 3 })
  const field = fc.oneof(
    fc.record({
      injection: fc.record(
        { isAutoInjectEnabled: fc.boolean(), enabledNamespaces: namespaces, disabledNamespaces: namespaces },
        { requiredKeys: [] },
      ),
    }),
    fc.record({ isAutoInjectEnabled: fc.boolean() }),
    fc.record({
      mtls: fc.record(
        { mode: fc.constantFrom('off', 'strict', 'x'), svidTTL: fc.constantFrom('1h', '0h') },
        { requiredKeys: [] },
      ),
    }),
    fc.record({
      tracing: fc.record(
        { isEnabled: fc.boolean(), backend: fc.constantFrom('zipkin', 'jaeger'), backendAddress: fc.constant('z:1') },
        { requiredKeys: [] },
      ),
    }),
    fc.record({
      telemetry: fc.record(
        { exporters: fc.constant({ otlp: { host: 'h' } }), samplerRatio: fc.double({ min: 0, max: 2, noNaN: true }) },
        { requiredKeys: [] },
      ),
    }),
  )
  const operation = fc.record({ op: fc.constantFrom('add', 'remove', 'replace'), field })
  const body = fc.oneof(operation, fc.array(operation, { maxLength: 4 }))

  const errorsOf = (patched: ReturnType<typeof patchConfig>) => ('errors' in patched ? patched.errors : [])

  function expectHelp(document: JsonObject, refused: Json, first: readonly ConfigOperation[] | undefined): void {
    if (!first) return
    const made = patchConfig(document, [...first], NAMES)
    expect(made).toHaveProperty('document')
    const after = patchConfig('document' in made ? made.document : document, refused, NAMES)
    expect(errorsOf(after).length).toBeLessThan(errorsOf(patchConfig(document, refused, NAMES)).length)
  }

  it('what is accepted has no fault, and what is told to send first is accepted', () => {
    fc.assert(
      fc.property(fc.array(body, { maxLength: 5 }), (bodies) => {
        let document = NEW
        for (const one of bodies) {
          const patched = patchConfig(document, one, NAMES)
          document = 'document' in patched ? patched.document : document
          expect(configFaults(document, NAMES)).toEqual([])
          for (const { first } of errorsOf(patched)) expectHelp(document, one, first)
        }
      }),
      runs(500),
    )
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (document, value) => {
        const stored = JSON.parse(JSON.stringify(document))
        patchConfig(
          typeof stored === 'object' && stored && !Array.isArray(stored) ? stored : {},
          JSON.parse(JSON.stringify(value)),
          NAMES,
        )
        configFaults(stored, NAMES)
      }),
    )
  })
})

describe('a stored configuration', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    [
      'a misspelt field',
      { ...NEW, api: { address: '', port: 443, containerPrt: 8443 } },
      ['api.containerPrt: unknown field; did you mean "api.containerPort"', 'api.containerPort: is missing'],
    ],
    ['a missing field', { ...NEW, environment: undefined }, ['environment: is missing']],
    ['a wrong value', { ...NEW, accessControlMode: 'maybe' }, ['accessControlMode: expected one of allow, deny']],
    [
      'copies that differ',
      { ...NEW, isAutoInjectEnabled: false },
      ['isAutoInjectEnabled: differs from injection.isAutoInjectEnabled'],
    ],
    ['a contradiction', { ...NEW, tracing: { backend: 'zipkin' } }, ['tracing.backend: a backend needs']],
  ])('%s is told', (_, config, expected) => {
    const told = configFaults(config, NAMES).map(({ field, reason }) => `${field}: ${reason}`)
    expect(told).toEqual(expected.map((start) => expect.stringContaining(start)))
  })
})
