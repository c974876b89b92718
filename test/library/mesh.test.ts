/** The functions of the library for the service mesh. */
import { describe, expect, it } from 'vitest'
import { decideInjection, inject, patchMeshConfig } from '../../src/browser.ts'
import { casesOf } from '../support/cases.ts'
import { POD } from './manifests.ts'

const { each } = casesOf(import.meta.url)

describe('inject', () => {
  it('adds the sidecar, and says what became of each object', () => {
    const result = inject(POD, { ignoreIncomingPorts: [9090] })
    expect(result).toMatchObject({
      ok: true,
      value: {
        text: expect.stringMatching(/name: nginx-mesh-sidecar[\s\S]*- '9090'/),
        objects: [{ document: 1, kind: 'Pod', name: 'web', outcome: 'injected' }],
      },
    })
  })

  it('takes the configuration of the mesh, and the groups of the settings', () => {
    const options = { config: { trustDomain: 'shop.example' }, settings: { apiGroups: { vendor: 'acme' } } }
    const result = inject(POD, options)
    expect(result.ok && result.value.text).toMatch(/injector\.nsm\.acme\.com\/status: injected/)
    expect(result.ok && result.value.text).toMatch(/- -d\n\s+- shop\.example\n/)
  })

  it('says everything that is wrong, with the place in the text', () =>
    expect(inject(POD.replace('containerPort: 80', 'containerPort: 80\n      protocol: SCTP'))).toEqual({
      ok: false,
      problems: [
        {
          path: 'text',
          message: 'document 1, spec.containers[0].ports[0].protocol: the mesh does not support SCTP; use TCP or UDP',
          line: 10,
          column: 17,
        },
      ],
    }))

  each<[unknown[], string]>('%j is refused', (parameters, expected) => {
    const result: ReturnType<typeof inject> = Reflect.apply(inject, undefined, parameters)
    expect(result.ok ? [] : result.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([expected])
  })
})

describe('patchMeshConfig', () => {
  it('patches the configuration of a new mesh, or one that is given', () => {
    const first = patchMeshConfig(undefined, { op: 'replace', field: { mtls: { mode: 'strict' } } })
    expect(first).toMatchObject({ ok: true, value: { mtls: { mode: 'strict' } } })
    const second = first.ok && patchMeshConfig(first.value, [{ op: 'remove', field: { mtls: {} } }])
    expect(second).toMatchObject({ ok: true, value: { mtls: { mode: 'permissive' } } })
  })

  it('says of each operation why it is refused', () =>
    expect(patchMeshConfig(undefined, [{ op: 'replace', field: { mtls: { mod: 'strict' } } }])).toEqual({
      ok: false,
      problems: [{ path: 'patch', message: 'operation 0, mtls.mod: unknown field; did you mean "mtls.mode"?' }],
    }))
})

it('decideInjection says what decides', () => {
  const config = { injection: { isAutoInjectEnabled: false, enabledNamespaces: ['shop'] } }
  expect(decideInjection({ config, namespace: 'shop' })).toEqual({
    ok: true,
    value: { inject: true, by: 'enabled-namespace' },
  })
})
