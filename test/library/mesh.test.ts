/** The functions of the library for the service mesh. */
import { describe, expect, it } from 'vitest'
import { decideInjection, inject, patchMeshConfig } from '../../src/browser.ts'
import { casesOf } from '../support/cases.ts'
import { POD } from './manifests.ts'

const { cases, each } = casesOf(import.meta.url)

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
    expect(inject(POD.replace('containerPort: 80', 'containerPort: 80\n      protocol: SCTP'))).toEqual(
      cases('says everything that is wrong, with the place in the text'),
    ))

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
    expect(patchMeshConfig(undefined, [{ op: 'replace', field: { mtls: { mod: 'strict' } } }])).toEqual(
      cases('says of each operation why it is refused'),
    ))
})

it('decideInjection says what decides', () => {
  const config = { injection: { isAutoInjectEnabled: false, enabledNamespaces: ['shop'] } }
  expect(decideInjection({ config, namespace: 'shop' })).toEqual(cases('decideInjection says what decides'))
})
