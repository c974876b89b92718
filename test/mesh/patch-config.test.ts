/** Patches of the mesh's configuration: what each operation does, what is refused, and that the remedies help. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/json/member.ts'
import { valueAt } from '../../src/json/pointer.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { configFaults, initialConfig } from '../../src/mesh/config.ts'
import { describeOperationError, patchConfig } from '../../src/mesh/patch-config.ts'
import { casesOf } from '../support/cases.ts'
import { holds, holdsFor } from '../support/holds.ts'
import { valuesOf } from '../support/values.ts'

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
  each<[Json, readonly string[]]>('%j', (body, expected) => expect(refusals(body)).toEqual(expected), 'refused')

  it('a field with the name of a member of every object is unknown', () =>
    expect(refusals(replace({ __proto__: 1, constructor: 2 }))).toEqual([
      expect.stringMatching(/^operation 0, constructor: unknown field; known are /),
    ]))

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
  const errorsOf = (patched: ReturnType<typeof patchConfig>) => ('errors' in patched ? patched.errors : [])

  /** Sends first what is told, and asks again, until nothing is told: each step leaves fewer refusals, so none leads in a circle. */
  function expectHelp(document: JsonObject, refused: Json): void {
    const errors = errorsOf(patchConfig(document, refused, NAMES))
    for (const { first } of errors) {
      if (!first) continue
      const made = patchConfig(document, [...first], NAMES)
      expect(made).toHaveProperty('document')
      const next = 'document' in made ? made.document : document
      expect(errorsOf(patchConfig(next, refused, NAMES)).length).toBeLessThan(errors.length)
      expectHelp(next, refused)
    }
  }

  it('what is accepted has no fault, and what is told to send first is accepted', () =>
    holdsFor(500)(valuesOf<Json[]>(cases('any patches')), (bodies) => {
      let document = NEW
      for (const one of bodies) {
        const patched = patchConfig(document, one, NAMES)
        document = 'document' in patched ? patched.document : document
        expect(configFaults(document, NAMES)).toEqual([])
        if (errorsOf(patched).length > 0) expectHelp(document, one)
      }
    }))

  it('never throws', () =>
    holds(fc.jsonValue(), fc.jsonValue(), (document, value) => {
      const stored = JSON.parse(JSON.stringify(document))
      patchConfig(
        typeof stored === 'object' && stored && !Array.isArray(stored) ? stored : {},
        JSON.parse(JSON.stringify(value)),
        NAMES,
      )
      configFaults(stored, NAMES)
    }))
})

each<[string, JsonObject, readonly string[]]>('a stored configuration %s is told', (_, change, expected) => {
  const told = configFaults({ ...NEW, ...change }, NAMES).map(({ field, reason }) => `${field}: ${reason}`)
  expect(told).toEqual(expected.map((start) => expect.stringContaining(start)))
})
