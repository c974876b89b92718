/** Texts with the sidecar. `npm run fixtures` writes what comes out of the fixtures again; read the diff. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dump } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/json/member.ts'
import { valueAt } from '../../src/json/pointer.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { inject, joinTexts } from '../../src/mesh/inject/inject.ts'
import { readPorts } from '../../src/mesh/inject/ports.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { casesOf } from '../support/cases.ts'
import { holds, holdsFor } from '../support/holds.ts'
import { valuesOf } from '../support/values.ts'
import { injectNew, printInjected, readInjectFixtures } from './inject-fixtures.ts'

const { cases, each } = casesOf(import.meta.url)

const fixtures = readInjectFixtures()
const record = process.env.SLUICE_RECORD === '1'

const readAll = (text: string): readonly unknown[] =>
  readDocuments(text, { mentions: /(?:)/ }).map(({ value }) => value)

/** The text that comes out; throws where there is none. */
function injected(text: string, options: Parameters<typeof injectNew>[1] = {}): string {
  const outcome = injectNew(text, options)
  if (!outcome.ok) throw new Error(printInjected(outcome))
  return outcome.text
}

describe.each(fixtures)('$name', ({ name, text, options, expected }) => {
  const outcome = inject(text, options)

  it('gives what is recorded', () => {
    if (record) writeFileSync(expected, printInjected(outcome))
    expect(existsSync(expected) ? readFileSync(expected, 'utf8') : '').toBe(printInjected(outcome))
  })

  it('injected again stays as it is, byte by byte', () => {
    if (outcome.ok) expect(injected(outcome.text, options)).toBe(outcome.text)
    else expect(inject(text, options)).toEqual(outcome)
  })

  it('keeps every line that holds nothing to change', () => {
    if (!outcome.ok || name === 'anchors.yaml') return
    const left = new Set(outcome.text.split('\n').map((line) => line.replace(/,$/, '')))
    const kept = text.split('\n').filter((line) => !/[{}[\]]|\b(?:path|port):|: \*/.test(line))
    expect(kept.filter((line) => !left.has(line.replace(/,$/, '')))).toEqual([])
  })

  it('with Windows line ends means the same, and every line has them', () => {
    const windows = inject(text.replaceAll('\n', '\r\n'), options)
    if (!windows.ok || !outcome.ok) {
      expect(windows.ok).toBe(outcome.ok)
      return
    }
    expect(readAll(windows.text)).toEqual(readAll(outcome.text))
    expect(windows.text.match(/(?<!\r)\n/g)).toBe(text.includes('\n') ? null : windows.text.match(/(?<!\r)\n/g))
  })
})

describe('what comes out', () => {
  const POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: b}]}\n'

  it('has no sidecar in an empty text', () => {
    expect(injectNew('')).toEqual({ ok: true, text: '', objects: [], unread: [], warnings: [] })
    expect(injectNew('# only a comment\n---\n')).toMatchObject({ ok: true, text: '# only a comment\n---\n' })
  })

  it('says what became of each object, with the number of its document', () => {
    const fixture = fixtures.find(({ name }) => name === 'untouched.yaml')
    expect(fixture && inject(fixture.text, fixture.options)).toMatchObject(
      cases<object>('says what became of each object, with the number of its document'),
    )
  })

  it('has the labels and annotations of the group of another vendor', () => {
    const outcome = inject(POD, { config: {}, names: apiNames({ vendor: 'acme', platform: 'k8s' }) })
    const [value] = outcome.ok ? readAll(outcome.text) : []
    expect(valueAt(value, '/metadata')).toEqual(cases('has the labels and annotations of the group of another vendor'))
    expect(valueAt(value, '/spec/containers/1/name')).toBe('acme-mesh-sidecar')
  })

  it('keeps numbers that JavaScript cannot hold', () => {
    const text = POD.replace('spec: {', 'spec: {activeDeadlineSeconds: 9223372036854775807, ')
    expect(injected(text)).toContain('activeDeadlineSeconds: 9223372036854775807,')
  })

  it('is refused where a document that has to be written anew would get another number', () => {
    const spec = 'spec: {securityContext: {fsGroup: 9007199254740993}, '
    const text = POD.replace('spec: {', spec).replace(
      'image: b',
      'image: b, ports: [{containerPort: 80}], livenessProbe: &p {httpGet: {port: 80}}, readinessProbe: *p',
    )
    expect(injectNew(text)).toMatchObject({
      ok: false,
      errors: [
        { document: 1, field: 'spec.securityContext.fsGroup', message: expect.stringContaining('kept exactly') },
      ],
    })
    expect(injectNew(text.replace('993', '91')).ok).toBe(true)
  })

  each<[string, string, string, string]>('is in every item of a List that share a %s', (_, __, first, second) => {
    const item = (name: string, template: string) =>
      `- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: ${name}}\n  spec:\n    ${template}\n`
    const text = injected(`apiVersion: v1\nkind: List\nitems:\n${item('a', first)}${item('b', second)}`)
    const containers = (at: number) => valueAt(readAll(text)[0], `/items/${at}/spec/template/spec/containers`)
    const labels = (at: number) => valueAt(readAll(text)[0], `/items/${at}/spec/template/metadata/labels`)
    for (const [at, name] of ['a', 'b'].entries()) {
      expect(containers(at)).toMatchObject([{ name: 'a' }, { name: 'nginx-mesh-sidecar' }])
      expect(labels(at)).toMatchObject({ 'nsm.nginx.com/deployment': name })
    }
    expect(injected(text)).toBe(text)
  })

  it('redirects the probes of restartable init containers, too', () => {
    const probe = '{name: p, image: q, restartPolicy: Always, startupProbe: {httpGet: {port: 81}}}'
    const text = injected(POD.replace('spec: {', `spec: {initContainers: [${probe}], `))
    expect(valueAt(readAll(text)[0], '/spec/initContainers/0/startupProbe/httpGet')).toEqual(
      cases('redirects the probes of restartable init containers, too'),
    )
  })

  it('leaves a probe alone whose port no container has', () => {
    const text = injected(POD.replace('image: b', 'image: b, livenessProbe: {httpGet: {port: web}}'))
    expect(valueAt(readAll(text)[0], '/spec/containers/0/livenessProbe')).toEqual({ httpGet: { port: 'web' } })
    expect(text).not.toContain('8895')
  })

  it('is left out where settings name more Pods than any object has, as aliases can make millions', () => {
    const text = `apiVersion: a.b/v1\nkind: A\nspec:\n  a: &a [${'{}, '.repeat(99)}]\n  b: [${'*a, '.repeat(99)}]\n`
    const podTemplates = [{ group: 'a.b', kind: 'A', paths: ['spec.b[*][*]'] }]
    expect(injectNew(text, { podTemplates })).toMatchObject({ ok: true, text, objects: [{ outcome: 'too-many' }] })
  })

  it('takes the volume that a Pod has already', () => {
    const volume = '{name: spire-agent-socket, hostPath: {path: /run/spire/sockets, type: DirectoryOrCreate}}'
    const text = injected(POD.replace('spec: {', `spec: {volumes: [${volume}], `))
    expect(valueAt(readAll(text)[0], '/spec/volumes')).toHaveLength(1)
  })

  it('of a thousand documents is that of each of them', () => {
    const documents = Array.from({ length: 1000 }, (_, index) => POD.replaceAll('a}', `a${index}}`))
    const whole = injected(documents.join('---\n'))
    const values = readAll(whole)
    expect(values).toHaveLength(1000)
    for (const at of [0, 500, 999]) expect([values[at]]).toEqual(readAll(injected(documents[at] ?? '')))
    expect(injected(whole)).toBe(whole)
  })

  it('of a List of a thousand items is that of each of them', () => {
    const items = Array.from({ length: 1000 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `a${index}` },
      spec: { containers: [{ name: 'a', image: 'b' }] },
    }))
    for (const text of [
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 1),
      dump({ apiVersion: 'v1', kind: 'List', items }),
    ]) {
      const [list] = readAll(injected(text))
      const listed = isObject(list) && Array.isArray(list.items) ? list.items : []
      expect(listed).toHaveLength(1000)
      for (const at of [0, 500, 999]) expect([listed[at]]).toEqual(readAll(injected(dump(items[at]))))
    }
  })
})

describe('any Pod', () => {
  const spellings = [
    (value: unknown) => JSON.stringify(value),
    (value: unknown) => JSON.stringify(value, null, '\t'),
    (value: unknown) => dump(value),
    (value: unknown) => dump(value, { flowLevel: 2 }),
    (value: unknown) => dump(value, { seqNoIndent: true }).replaceAll('\n', '\r\n'),
  ]

  it('has the same sidecar however it is written, once', () =>
    holds(valuesOf(cases('any Pod')), (value) => {
      const texts = spellings.map((write) => injected(write(value)))
      for (const text of texts) {
        expect(readAll(text)).toEqual(readAll(texts[0] ?? ''))
        expect(injected(text)).toBe(text)
      }
      expect(texts[0]?.startsWith('{')).toBe(true)
    }))

  it('or any other text never throws', () =>
    holdsFor(500)(valuesOf<string[]>({ $list: { $any: cases('lines of any text') } }), (lines) => {
      injectNew(lines.join('\n'))
    }))
})

describe('lists of ports', () =>
  each<[readonly string[], unknown]>(
    '%j',
    (texts, expected) => expect(readPorts(texts)).toEqual(expected),
    'lists of ports',
  ))

describe('several texts in one stream', () =>
  each<[readonly string[], string | undefined]>(
    '%j',
    (texts, expected) => {
      const joined = joinTexts(texts)
      expect(joined).toBe(expected)
      if (joined !== undefined) expect(readAll(joined)).toEqual(texts.flatMap(readAll))
    },
    'several texts in one stream',
  ))
