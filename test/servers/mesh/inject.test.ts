/** `POST inject`: the form, what is injected, and what is refused. */
import { describe, expect, it } from 'vitest'
import { apiNames } from '../../../src/kubernetes/api-groups.ts'
import { initialConfig } from '../../../src/mesh/config.ts'
import { inject } from '../../../src/mesh/inject/inject.ts'
import { warningsIn } from '../../../src/servers/mesh/warnings.ts'
import { casesOf } from '../../support/cases.ts'
import { BASE, serve } from './served.ts'

const { cases, each } = casesOf(import.meta.url)

const POD = cases<string>('POD')
const TWICE = POD.replace('8080\n', '8080\n        - containerPort: 8080\n')

const BOUNDARY = 'a-boundary'
const FORM = `multipart/form-data; boundary=${BOUNDARY}`

/** A part by its name and text, with headers behind the name, and how many there are. */
type Part = readonly [name: string, text: string, headers?: string, times?: number]

const part = (...[name, text, headers = '', times = 1]: Part): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${headers}\r\n\r\n${text}\r\n`.repeat(times)

const formOf = (parts: readonly Part[]): string => `${parts.map((one) => part(...one)).join('')}--${BOUNDARY}--\r\n`

/** Sends a body, a byte for each character. */
const send = (body: string, type = FORM) => serve().inject().set('content-type', type).send(Buffer.from(body, 'latin1'))

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
    expect((await send(formOf([['file', response.text]]))).text).toBe(response.text)
  })

  it('follows the configuration of the mesh', async () => {
    const { patch, inject: post } = serve()
    await patch({ op: 'replace', field: { mtls: { mode: 'strict' } } })
    const { text } = await post().attach('file', Buffer.from(POD), 'pod.yaml')
    expect(text).toMatch(/--mtls-annotation\n\s+- strict/)
  })

  it('gives JSON for JSON, and expands a List', async () => {
    const pod = cases<object>('pod')
    const list = { apiVersion: 'v1', kind: 'List', items: [pod, { ...pod, kind: 'Service' }] }
    const { text } = await send(formOf([['file', JSON.stringify(list)]]))
    const { items } = JSON.parse(text)
    expect(items[0].spec.containers).toHaveLength(2)
    expect(items[1]).toEqual(list.items[1])
  })

  it('answers others while it injects into many manifests', async () => {
    const { inject: post, get } = serve()
    const text = Array.from({ length: 500 }, () => POD).join('---\n')
    let isDone = false
    const large = post()
      .attach('file', Buffer.from(text), 'pods.yaml')
      .then((response) => {
        isDone = true
        return response.text
      })
    let answered = 0
    while (!isDone) await get(`${BASE}/config`).then(() => (answered += Number(!isDone)))
    const names = apiNames()
    const expected = inject(text, { config: initialConfig(names), names })
    expect(await large).toBe(expected.ok && expected.text)
    // While one thread does both, at most those that came before.
    expect(answered).toBeGreaterThan(5)
  })

  each<[string, string]>('takes a file with %s', async (_, headers) => {
    const response = await send(formOf([['file', POD, headers]]))
    expect(response.status).toBe(200)
    expect(response.text).toContain('nginx-mesh-sidecar')
  })

  each<[string, string]>('leaves %s as it is', async (_, text) => {
    const response = await send(formOf([['file', text]]))
    expect({ status: response.status, text: response.text }).toEqual({ status: 200, text })
  })

  each<[string, string | readonly Part[], string]>('refuses %s', async (_, body, message) => {
    const response = await send(typeof body === 'string' ? body : formOf(body))
    expect(response.status).toBe(400)
    expect(response.headers['content-type']).toBe('application/json')
    expect(response.body).toMatchObject({ code: 7892 })
    expect(response.body.message).toContain(message)
    expect(response.text).not.toMatch(/node_modules|\.ts:/)
  })

  it('warns of documents that it left as they are, and of what the sidecar does not do', async () => {
    const probed = POD.replace('ports:', 'livenessProbe: {httpGet: {port: 8080}}\n      ports:')
    const named = probed.replace('- containerPort', '- name: tcp-ä\n          containerPort')
    const { text, headers } = await send(formOf([['file', Buffer.from(`${named}---\na: [\n`).toString('latin1')]]))
    expect(text).toMatch(/nginx-mesh-sidecar.*---\na: \[\n$/s)
    expect(warningsIn(String(headers.warning))).toEqual([
      'document 2: a bracket is never closed; it is left as it is',
      expect.stringMatching(/^mtls.mode is "permissive", which the rendered sidecar does not do: /),
      expect.stringMatching(/^loadBalancingMethod is "least_time", /),
      expect.stringMatching(/^document 1, spec.containers\[0\].ports\[0\] is TCP by its name "tcp-\\u\{e4\}", /),
      expect.stringMatching(/^document 1, spec.containers\[0\].livenessProbe is a probe by HTTP, /),
    ])
  })

  it('describes every mistake with its document and its field', async () => {
    const { body } = await send(formOf([['file', `${TWICE}---\n${TWICE}`]]))
    expect(body.message).toMatch(/^nothing was injected: document 1, .* \(and 1 more\)$/)
    expect(body.details.map(({ description }: { description: string }) => description.split(':')[0])).toEqual(
      cases('describes every mistake with its document and its field'),
    )
  })

  each<[string, string, number]>('%s is refused by its type', async (_, type, status) =>
    expect((await send(formOf([['file', POD]]), type)).status).toBe(status),
  )

  it('a file of 20 MB is 413, as a Status', async () => {
    const response = await send(formOf([['file', 'a'.repeat(20_000_000)]]))
    expect(response.status).toBe(413)
    expect(response.body).toMatchObject({ kind: 'Status', reason: 'RequestEntityTooLarge', code: 413 })
  })

  it('does not take a form elsewhere', async () => {
    const response = await serve()
      .send('patch', `${BASE}/config`)
      .set('content-type', FORM)
      .send(formOf([['file', POD]]))
    expect(response.status).toBe(415)
  })
})
