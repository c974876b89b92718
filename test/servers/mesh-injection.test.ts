/** `/mutate-mesh-pods`: the patch is what `inject` adds to the same Pod. */

import fc from 'fast-check'
import fastJsonPatch, { type Operation } from 'fast-json-patch'
import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { initialConfig } from '../../src/mesh/config.ts'
import type { MeshView } from '../../src/servers/admission/inject-pod.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { injectNew, readInjectFixtures } from '../mesh/inject-fixtures.ts'
import { casesOf } from '../support/cases.ts'
import { holdsLaterFor } from '../support/holds.ts'
import { createWebhook, reviewOf, type Wishes } from './reviews.ts'

const { cases, each } = casesOf(import.meta.url)

const names = apiNames()
const limits = { limitRanges: [], resourceQuotas: [] }
const NEW: MeshView = { names, config: initialConfig(names), limitsOf: () => limits }

const valuesOf = (text: string): readonly unknown[] =>
  readDocuments(text, { mentions: /(?:)/ }).map(({ value }) => value)

/** Every Pod that the fixtures of `inject` have, as an object of its own or as the template of a workload. */
const PODS = readInjectFixtures()
  .flatMap(({ text }) => valuesOf(text))
  .flatMap((value) => (isObject(value) && Array.isArray(value.items) ? value.items : [value]))
  .flatMap((value): JsonObject[] => {
    if (!isObject(value) || !isObject(value.spec)) return []
    if (value.kind === 'Pod') return [value]
    const { template } = value.spec
    if (!isObject(template)) return []
    const metadata = { ...(isObject(template.metadata) ? template.metadata : {}), name: 'one' }
    return [{ apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec }]
  })
  // What an anchor of YAML shares is written twice in a request.
  .map((pod): JsonObject => JSON.parse(JSON.stringify(pod)))

async function review(object: JsonObject, wishes: Wishes = {}, request: JsonObject = {}) {
  const { ask, lines } = createWebhook({ mesh: NEW, ...wishes })
  const response = await ask('/mutate-mesh-pods', reviewOf({ object, ...request }))
  const patch: Operation[] = JSON.parse(Buffer.from(response.patch ?? 'W10=', 'base64').toString())
  const patched = fastJsonPatch.applyPatch(structuredClone<unknown>(object), patch, true).newDocument
  return { ...response, patch, patched, lines }
}

const POD = cases<JsonObject>('POD')

describe('the webhook', () => {
  it(`adds to each of ${PODS.length} Pods what inject adds, and nothing to the outcome`, async () => {
    expect(PODS.length).toBeGreaterThan(10)
    for (const pod of PODS) {
      const injected = injectNew(JSON.stringify(pod))
      const { allowed, patched, warnings } = await review(pod)
      expect(allowed).toBe(true)
      if (injected.ok) {
        expect(patched).toEqual(JSON.parse(injected.text))
        expect((await review(patched as JsonObject)).patch).toEqual([])
      } else {
        expect(patched).toEqual(pod)
        expect(warnings?.length).toBeGreaterThan(0)
      }
    }
  })

  each<[string, JsonObject, JsonObject]>('leaves %s alone', async (_, object, request) =>
    expect(await review(object, {}, request)).toMatchObject({ allowed: true, patch: [] }),
  )

  it('says why a Pod has no sidecar while something is not known', async () => {
    const unknown = await review(POD, { mesh: { ...NEW, config: undefined } })
    expect(unknown).toMatchObject(cases<object>('says why a Pod has no sidecar while something is not known'))
    expect(unknown.lines).toMatchObject([{ level: 'warn', message: 'a Pod is created without its sidecar' }, {}])
    const notSynced = await review(POD, { notSynced: ['Namespace'] })
    expect(notSynced.warnings).toEqual(['no sidecar: the labels of the namespace are not known'])
  })

  it('is not there without a mesh', () =>
    expect(createWebhook().ask('/mutate-mesh-pods', reviewOf({ object: POD }))).rejects.toThrow(
      '404: not found: /mutate-mesh-pods; send reviews to /validate, /mutate, /observe',
    ))

  it('answers whatever a Pod contains', async () => {
    const part = fc.dictionary(
      fc.constantFrom(
        ...['name', 'generateName', 'labels', 'annotations', 'ownerReferences', 'containers', 'initContainers'],
        ...['volumes', 'hostNetwork', 'ports'],
      ),
      fc.jsonValue(),
    )
    await holdsLaterFor(50)(part, part, async (metadata, spec) => {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec } as JsonObject
      expect((await review(pod)).allowed).toBe(true)
    })
  })
})
