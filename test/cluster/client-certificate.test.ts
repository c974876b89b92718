/** The admission port closed to all clients without a certificate, as docs/admission.md describes it. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePorts } from '../free-ports.ts'
import { policyOf, reviewOf } from '../servers/reviews.ts'
import {
  type AdmissionServer,
  type CertificateFiles,
  installWebhooks,
  startAdmission,
  writeCertificate,
} from './admission-server.ts'
import { createClientCertificates, exampleOf } from './client-certificates.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { createKubectl, type Kubectl, must } from './kubectl.ts'
import { applyCrds, limit, policy, until } from './resources.ts'
import { ADMIN } from './users.ts'

let folder: string
let plane: ControlPlane
let kubectl: Kubectl
let server: AdmissionServer
let serving: CertificateFiles
let clients: ReturnType<typeof createClientCertificates>
let strangers: ReturnType<typeof createClientCertificates>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-clients-'))
  clients = createClientCertificates(join(folder, 'clients'))
  strangers = createClientCertificates(join(folder, 'strangers'))
  serving = await writeCertificate(folder)
  const [port = 0] = await freePorts(1)
  const write = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text.replaceAll('/etc/kubernetes/sluice/client', join(folder, 'clients/client')))
    return path
  }
  const webhooks = write(
    'webhooks.yaml',
    exampleOf('webhooks.yaml').replace('sluice-admission.sluice-system.svc', `127.0.0.1:${port}`),
  )
  const configuration = exampleOf('admission.yaml').replaceAll('/etc/kubernetes/sluice/webhooks.yaml', webhooks)
  plane = await startControlPlane([`--admission-control-config-file=${write('admission.yaml', configuration)}`])
  kubectl = createKubectl(plane.kubeconfig(ADMIN))
  await applyCrds(kubectl)
  server = await start(port)
  await installWebhooks(kubectl, { port, authority: serving.authority, failurePolicy: 'Fail' })
})
afterAll(async () => {
  await server.stop()
  await plane.stop()
  rmSync(folder, { recursive: true, force: true })
})

const start = (port: number): Promise<AdmissionServer> =>
  startAdmission(['--standalone', '--client-ca', join(folder, 'clients/client-ca.crt'), ...serving.flags], { port })

const apply = (rate: string) =>
  kubectl('apply -f -', [policy('one', ['Gateway/edge'], { local: { rules: [limit({ rate })] } })])

/** The status of a review that is sent directly, or the code of the error. */
const send = (identity: { readonly cert?: string; readonly key?: string } = {}): Promise<number | string> =>
  new Promise((resolve) => {
    const own = Object.fromEntries(Object.entries(identity).map(([name, path]) => [name, readFileSync(path)]))
    const headers = { 'content-type': 'application/json' }
    const to = { host: '127.0.0.1', port: server.port, path: '/validate', ca: serving.authority.cert, agent: false }
    request({ ...to, ...own, method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
      .end(JSON.stringify(reviewOf({ object: policyOf() })))
  })

describe('a server with --client-ca', () => {
  it('says in its log who may send reviews', () => {
    expect(JSON.parse(server.log[0] ?? '')).toMatchObject({
      msg: 'listening',
      clients: `only with a certificate of the authorities in ${clients.authority}`,
    })
  })

  it('answers an API server that is set up as the page says', async () => {
    await until('the API server calls the webhook', async () => (await apply('0r/s')).code === 1)
    expect((await apply('0r/s')).stderr).toContain('nginx refuses the rate "0r/s"')
    expect(await must(apply('10r/s'))).toContain('created')
  })

  it('answers nobody without a certificate of that authority, and warns in its log', async () => {
    expect(await send()).toMatch(/^(?:ECONNRESET|ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)$/)
    expect(await send(strangers)).toBe('ECONNRESET')
    expect(await send(clients)).toBe(200)
    await until('the log has the warning', () =>
      server.log.some((line) => line.includes('a client without a certificate of --client-ca was refused')),
    )
  })

  it('answers probes and Prometheus without a certificate', async () => {
    expect(await server.ready()).toBe(200)
    expect(await server.metrics()).toContain('sluice_build_info')
  })

  it('takes other authorities from the file without a restart, and keeps the old ones where the file has none', async () => {
    const file = clients.authority
    const first = readFileSync(file, 'utf8')
    writeFileSync(file, 'not a certificate\n')
    await until('the log says that they cannot be used', () =>
      server.log.some((line) => line.includes('the new client authorities cannot be used')),
    )
    expect(await send(clients)).toBe(200)
    copyFileSync(strangers.authority, file)
    await until('the other authority counts', async () => (await send(strangers)) === 200)
    expect(await send(clients)).toBe('ECONNRESET')
    writeFileSync(file, first)
    await until('the first authority counts again', async () => (await send(clients)) === 200)
  })

  it('is refused as the page says where the API server has no certificate for it', async () => {
    const [port = 0] = await freePorts(1)
    const other = await start(port)
    try {
      await installWebhooks(kubectl, { port, authority: serving.authority, failurePolicy: 'Fail' })
      await until('the API server calls the other one', async () => (await apply('20r/s')).code === 1)
      expect((await apply('20r/s')).stderr).toMatch(/failed calling webhook .* tls: certificate required/)
    } finally {
      await other.stop()
    }
  })
})
