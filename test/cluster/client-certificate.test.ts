/** The admission port closed to all clients without a certificate, as docs/admission.md describes it. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { policyOf, reviewOf } from '../servers/reviews.ts'
import { installWebhooks, startAdmission } from './admission-server.ts'
import { ask } from './ask.ts'
import { configureClients } from './client-certificates.ts'
import { useCluster, useWebhook } from './cluster.ts'
import { must } from './kubectl.ts'
import { limited, until } from './resources.ts'

/** The files of the page: two authorities with a client of each, and the port for which the API server has a certificate. */
const { folder, port, clients, strangers, flags } = await configureClients()

const cluster = useCluster({ flags: () => flags })
const webhook = useWebhook(cluster, {
  flags: () => ['--standalone', '--client-ca', clients.authority],
  failurePolicy: 'Fail',
  start: () => ({ port }),
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const apply = (rate: string) => cluster.kubectl('apply -f -', [limited('one', { rate })])

/** The status of a review that is sent directly, or the code of the error. */
const send = ({ cert, key }: { readonly cert?: string; readonly key?: string } = {}): Promise<number | string> => {
  const tls = cert && key ? { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') } : {}
  const headers = { 'content-type': 'application/json' }
  const to = { port, ca: webhook.certificate.authority.cert, tls, headers }
  return ask('/validate', { ...to, method: 'POST', body: JSON.stringify(reviewOf({ object: policyOf() })) }).then(
    ({ status }) => status,
    (error) => String(error.code ?? error.message),
  )
}

describe('a server with --client-ca', () => {
  it('says in its log who may send reviews', () =>
    expect(JSON.parse(webhook.server.log[0] ?? '')).toMatchObject({
      msg: 'listening',
      clients: `only with a certificate of the authorities in ${clients.authority}`,
    }))

  it('answers an API server that is set up as the page says', async () => {
    expect((await apply('0r/s')).stderr).toContain('nginx refuses the rate "0r/s"')
    expect(await must(apply('10r/s'))).toContain('created')
  })

  it('answers nobody without a certificate of that authority, and warns in its log', async () => {
    expect(await send()).toMatch(/^(?:ECONNRESET|ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)$/)
    expect(await send(strangers)).toBe('ECONNRESET')
    expect(await send(clients)).toBe(200)
    await until('the log has the warning', () =>
      webhook.server.log.some((line) => line.includes('a client without a certificate of --client-ca was refused')),
    )
  })

  it('answers probes and Prometheus without a certificate', async () => {
    expect(await webhook.server.ready()).toBe(200)
    expect(await webhook.server.metrics()).toContain('sluice_build_info')
  })

  it('takes other authorities from the file without a restart, and keeps the old ones where the file has none', async () => {
    const file = clients.authority
    const first = readFileSync(file, 'utf8')
    writeFileSync(file, 'not a certificate\n')
    await until('the log says that they cannot be used', () =>
      webhook.server.log.some((line) => line.includes('the new client authorities cannot be used')),
    )
    expect(await send(clients)).toBe(200)
    copyFileSync(strangers.authority, file)
    await until('the other authority counts', async () => (await send(strangers)) === 200)
    expect(await send(clients)).toBe('ECONNRESET')
    writeFileSync(file, first)
    await until('the first authority counts again', async () => (await send(clients)) === 200)
  })

  it('is refused as the page says where the API server has no certificate for it', async () => {
    const { flags: serving, authority } = webhook.certificate
    const other = await startAdmission(['--standalone', '--client-ca', clients.authority, ...serving])
    try {
      await installWebhooks(cluster.kubectl, { port: other.port, authority, failurePolicy: 'Fail' })
      await until('the API server calls the other one', async () => (await apply('20r/s')).code === 1)
      expect((await apply('20r/s')).stderr).toMatch(/failed calling webhook .* tls: certificate required/)
    } finally {
      await other.stop()
    }
  })
})
