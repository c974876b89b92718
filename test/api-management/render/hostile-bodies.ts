/** Bodies with texts that would break out of an nginx configuration, and what such a configuration may say. */
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Published, RenderedFile, Site } from '../../../src/api-management/render/published.ts'
import { isObject, type Json, type JsonObject } from '../../../src/json/member.ts'
import { hostile, type Path, readDirectives, textsIn, withText } from '../../live/hostile.ts'
import { casesOf } from '../../support/cases.ts'

const { cases } = casesOf(import.meta.url)

/** The folder of the socket; nginx makes the socket even to test a configuration. */
export const SOCKETS = '/tmp/sluice-hostile'

/** The nginx for which they are rendered. */
export const siteOf = (nginxVersion: string): Site => ({
  ...{ nginxVersion, address: '127.0.0.1', port: 18_080, grpcPort: 18_081 },
  hop: { socket: `${SOCKETS}/hop.sock`, consumerHeader: 'x-consumer-id', addressHeader: 'x-real-ip' },
})

/** A body that has every declared field, at the first index of every list, and that no rule objects to. */
export const WHOLE: JsonObject = cases('WHOLE')

/** A proxy and an environment with every field that reaches a configuration. */
const MEANT: JsonObject = { ...cases<JsonObject>('MEANT'), body: WHOLE }

function valuesIn(value: Json | undefined, path: Path): readonly Path[] {
  const inner = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  return [path, ...inner.flatMap(([name, member]) => valuesIn(member, [...path, name]))]
}

const TEXTS = textsIn(MEANT, [])
const VALUES = valuesIn(MEANT, []).filter(([first]) => first === 'body' || first === 'policies')

/** Beside hostile texts also values that look right and are not, and long ones. */
const text = fc.oneof(
  { weight: 6, arbitrary: hostile },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '..',
      '/..',
      '/a//b',
      '*',
      '*.x',
      'unix:/tmp/x',
      'a:80',
      '[::1',
      'n'.repeat(5000),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
)

const change: fc.Arbitrary<readonly [Path, Json]> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...TEXTS), text) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...VALUES), fc.jsonValue() as fc.Arbitrary<Json>) },
)

/** What is to be published, as it is meant but for some values. */
export const hostilePublished: fc.Arbitrary<Published> = fc
  .array(change, { minLength: 0, maxLength: 3 })
  .map((changes) =>
    publishedOf(changes.reduce<Json | undefined>((all, [path, value]) => withText(all, path, value), MEANT)),
  )

function publishedOf(all: Json | undefined): Published {
  const { environment = '', policies = {}, body = {} } = isObject(all) ? all : {}
  const name = typeof environment === 'string' ? environment : ''
  const objectOr = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
  return {
    proxies: [{ id: 'P-1_x', workspace: 'w', environment: name, revision: 1, body: objectOr(body) }],
    environments: [{ name, policies: objectOr(policies) }],
  }
}

/** What it is meant to be. */
export const MEANT_PUBLISHED = publishedOf(MEANT)

/** What the first parameter of a directive may be, and so which directives there may be. */
const ALLOWED: Readonly<Record<string, RegExp>> = cases('ALLOWED')

/** Expects nothing in a configuration but what is meant to be there. */
export function expectOnlyMeant(files: readonly RenderedFile[]): void {
  for (const { name, text: written } of files) {
    const directives = readDirectives(written)
    expect(directives, `${name}:\n${written}`).toBeDefined()
    let mapDepth = Number.POSITIVE_INFINITY
    for (const { words, depth } of directives ?? []) {
      const [directive = '', first = ''] = words
      if (depth <= mapDepth) mapDepth = Number.POSITIVE_INFINITY
      // The rows of a map, and of `split_clients`, are no directives: a value, and what it becomes.
      if (depth > mapDepth) expect(words.length, `${name}:\n${written}`).toBe(2)
      else {
        expect(Object.keys(ALLOWED), `${name}:\n${written}`).toContain(directive)
        expect(first, `${directive} in ${name}`).toMatch(ALLOWED[directive] ?? /^$/)
      }
      if (/^(?:map|split_clients)$/.test(directive) && depth < mapDepth) mapDepth = depth
    }
  }
}
