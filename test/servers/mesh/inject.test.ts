/** `POST inject`: the form, what is injected, and what is refused. */
import { describe, expect, it, test } from 'vitest'
import { apiNames } from '../../../src/kubernetes/api-groups.ts'
import { initialConfig } from '../../../src/mesh/config.ts'
import { inject } from '../../../src/mesh/inject/inject.ts'
import { casesOf } from '../../support/cases.ts'
import { BASE, serve } from './served.ts'

const { each } = casesOf(import.meta.url)

const POD = `# a comment
apiVersion: v1
kind: Pod
metadata:
  name: coffee
spec:
  containers:
    - name: coffee # another one
      image: coffee:1
      ports:
        - containerPort: 8080
`
const BOUNDARY = 'a-boundary'
const FORM = `multipart/form-data; boundary=${BOUNDARY}`

/** One part; `headers` are those behind the name. */
const part = (name: string, body: string, headers = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${headers}\r\n\r\n${body}\r\n`
const END = `--${BOUNDARY}--\r\n`

const send = (body: string | Buffer, type = FORM) => serve().inject().set('content-type', type).send(body)

describe('injection', () => {
  it('gives the text of the library, with comments and all', async () => {
    const response = await serve()
      .inject()
      .attach('file', Buffer.from(POD), { filename: 'pod.yaml', contentType: 'application/octet-stream' })
      .field('ignoreIncomingPorts', '8080')
      .field('ignoreIncomingPorts', '9090,9091')
      .field('ignoreOutgoingPorts', '5432')
    expect(response.status).toBe(200)
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8')
    const names = apiNames()
    const ports = { ignoreIncomingPorts: [8080, 9090, 9091], ignoreOutgoingPorts: [5432] }
    const expected = inject(POD, { config: initialConfig(names), names, ...ports })
    expect(response.text).toBe(expected.ok && expected.text)
    expect(response.text).toContain('# another one')
    expect(response.text).toMatch(/--ignore-incoming-ports\n\s+- "?'?9091/)
    const again = await send(part('file', response.text) + END)
    expect(again.text).toBe(response.text)
  })

  it('follows the configuration of the mesh', async () => {
    const { patch, inject: post } = serve()
    await patch({ op: 'replace', field: { mtls: { mode: 'strict' } } })
    const { text } = await post().attach('file', Buffer.from(POD), 'pod.yaml')
    expect(text).toMatch(/--mtls-annotation\n\s+- strict/)
  })

  it('gives JSON for JSON, and expands a List', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    }
    const list = { apiVersion: 'v1', kind: 'List', items: [pod, { ...pod, kind: 'Service' }] }
    const { text } = await send(part('file', JSON.stringify(list)) + END)
    const { items } = JSON.parse(text)
    expect(items[0].spec.containers).toHaveLength(2)
    expect(items[1]).toEqual(list.items[1])
  })

  each<[string, string]>('takes a file with %s', async (_, headers) => {
    const response = await send(part('file', POD, headers) + END)
    expect(response.status).toBe(200)
    expect(response.text).toContain('nginx-mesh-sidecar')
  })

  each<[string, string]>('leaves %s as it is', async (_, text) => {
    const response = await send(part('file', text) + END)
    expect({ status: response.status, text: response.text }).toEqual({ status: 200, text })
  })

  const BOMB = `a: &a [x, x, x, x, x, x, x, x, x]\n${Array.from(
    { length: 12 },
    (_, index) =>
      `${String.fromCharCode(98 + index)}: &${String.fromCharCode(98 + index)} [${`*${String.fromCharCode(97 + index)}, `.repeat(9)}x]\n`,
  ).join('')}`
  const port = (text: string) => part('file', POD) + part('ignoreIncomingPorts', text) + END
  const BAD: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['no file', part('ignoreIncomingPorts', '80') + END, /no part "file"/],
    ['no part', END, /no part "file"/],
    ['an empty body', '', /cannot be read/],
    ['two files', part('file', POD) + part('file', POD) + END, /more than one part "file"/],
    ['a part without end', `${part('file', POD)}`, /cannot be read/],
    ['a body that ends in a part', part('file', POD).slice(0, -40), /cannot be read/],
    [
      'an unknown part',
      part('file', POD) + part('ignoreIncomingPort', '80') + END,
      /did you mean "ignoreIncomingPorts"\?/,
    ],
    ['a part without a name', `--${BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\nx\r\n${END}`, /unknown part ""/],
    ['2,000 parts', part('ignoreIncomingPorts', '80').repeat(2000) + part('file', POD) + END, /more than 1000 parts/],
    [
      'a port with a filename',
      part('file', POD) + part('ignoreOutgoingPorts', '80', '; filename="a"') + END,
      /ignoreOutgoingPorts is a file/,
    ],
    ['port 0', port('0'), /^ignoreIncomingPorts: "0" is not a port/],
    ['port 65536', port('65536'), /"65536" is not a port/],
    ['port abc', port('abc'), /"abc" is not a port/],
    ['a range of ports', port('80-90'), /write each port of the range/],
    ['a scalar', part('file', 'just text') + END, /document 1: expected a Kubernetes object/],
    [
      'invalid UTF-8',
      Buffer.concat([
        Buffer.from(part('file', 'a: \xff', '').slice(0, -3)),
        Buffer.from([0xff]),
        Buffer.from(`\r\n${END}`),
      ]),
      /not encoded in UTF-8/,
    ],
    ['broken YAML', part('file', `${POD}---\na: [\n`) + END, /document 2/],
    [
      'a port that is used twice',
      part('file', POD.replace('8080\n', '8080\n        - containerPort: 8080\n')) + END,
      /document 1, spec\.containers\[0\]\.ports\[1\]/,
    ],
    ['aliases that expand to a billion values', part('file', BOMB) + END, /document 1/],
    ['deep nesting', part('file', '['.repeat(50_000)) + END, /document 1/],
  ]
  test.each(BAD)('refuses %s', async (_, body, message) => {
    const response = await send(body)
    expect(response.status).toBe(400)
    expect(response.headers['content-type']).toBe('application/json')
    expect(response.body).toMatchObject({ code: 7892 })
    expect(response.body.message).toMatch(new RegExp(message.source.replace('^', '')))
    expect(response.text).not.toMatch(/node_modules|\.ts:/)
  })

  it('describes every mistake with its document and its field', async () => {
    const twice = POD.replace('8080\n', '8080\n        - containerPort: 8080\n')
    const { body } = await send(part('file', `${twice}---\n${twice}`) + END)
    expect(body.message).toMatch(/^nothing was injected: document 1, .* \(and 1 more\)$/)
    expect(body.details.map(({ description }: { description: string }) => description.split(':')[0])).toEqual([
      'document 1, spec.containers[0].ports[1].containerPort',
      'document 2, spec.containers[0].ports[1].containerPort',
    ])
  })

  each<[string, string, number]>('%s is refused by its type', async (_, type, status) => {
    expect((await send(part('file', POD) + END, type)).status).toBe(status)
  })

  it('a file of 20 MB is 413, as a Status', async () => {
    const response = await send(part('file', 'a'.repeat(20_000_000)) + END)
    expect(response.status).toBe(413)
    expect(response.body).toMatchObject({ kind: 'Status', reason: 'RequestEntityTooLarge', code: 413 })
  })

  it('does not take a form elsewhere', async () => {
    const response = await serve()
      .send('patch', `${BASE}/config`)
      .set('content-type', FORM)
      .send(part('file', POD) + END)
    expect(response.status).toBe(415)
  })
})
