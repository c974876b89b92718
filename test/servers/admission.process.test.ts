/** The built program as a webhook, spoken to over TLS. `npm test` builds it before. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import { sluice } from '../cli/run.ts'
import { createFolder } from '../files/folder.ts'
import { HOST, serialOf, start, validate } from './program.ts'
import { policyOf } from './reviews.ts'

const BAD = policyOf({ rejectCode: 200 })
const DAY = 24 * 60 * 60 * 1000
const PATIENCE = { timeout: 150_000, interval: 100 }

describe('sluice serve admission', () => {
  it('starts without files, logs its authority, responds, and stops on a signal', async () => {
    const webhook = await start(['--standalone'])
    expect(webhook.lines[0]).toMatchObject({ level: 'info', port: webhook.port, healthPort: webhook.healthPort })
    expect(webhook.lines[0]?.clients).toBe('anyone who can connect to the port (see --client-ca)')
    await vi.waitFor(() => expect(webhook.said()).toContain('caBundle: '), PATIENCE)
    const ca = Buffer.from(/caBundle: (\S+)/.exec(webhook.said())?.[1] ?? '', 'base64').toString()
    expect(await validate(webhook, ca, policyOf())).toMatchObject({ response: { allowed: true } })
    expect(await validate(webhook, ca, BAD)).toMatchObject({ response: { allowed: false } })
    webhook.child.kill('SIGTERM')
    expect(await webhook.ended).toBe(0)
    expect(webhook.lines.at(-1)).toMatchObject({ msg: 'stopped: all reviews have been answered' })
  })

  it('takes up new settings and a new certificate without a restart, and keeps the old ones where the new are broken', async () => {
    const validity = { from: Date.now() - DAY, until: Date.now() + DAY }
    const authority = await createAuthority('test', validity)
    const [first, second] = [
      await issueServing(authority, ['localhost'], validity),
      await issueServing(authority, ['localhost'], validity),
    ]
    const folder = createFolder({
      'tls.crt': first.cert,
      'tls.key': first.key,
      'sluice.config.yaml': 'admission: { enforce: deny }\n',
    })
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    const webhook = await start(['--cert', 'tls.crt', '--key', 'tls.key', '--config', 'sluice.config.yaml'], folder)
    const allows = async () => (await validate(webhook, authority.cert, BAD)).response.allowed
    expect(await allows()).toBe(false)

    write('sluice.config.yaml', 'admission: { enforce: warn }\n')
    await vi.waitFor(async () => expect(await allows()).toBe(true), PATIENCE)
    write('sluice.config.yaml', 'admission: { enforce: perhaps }\n')
    await vi.waitFor(async () => expect(await webhook.metrics()).toContain('sluice_settings_valid 0\n'), PATIENCE)
    expect(webhook.lines.at(-1)).toMatchObject({ level: 'error', reason: expect.stringContaining('admission.enforce') })
    expect(await allows()).toBe(true)

    const serial = await serialOf(webhook, authority.cert)
    write('tls.crt', second.cert)
    await vi.waitFor(() => expect(webhook.lines.at(-1)).toMatchObject({ level: 'warn' }), PATIENCE)
    expect(await serialOf(webhook, authority.cert)).toBe(serial)
    write('tls.key', second.key)
    await vi.waitFor(async () => expect(await serialOf(webhook, authority.cert)).not.toBe(serial), PATIENCE)
    expect(await allows()).toBe(true)
  })

  it('starts in a cluster even with broken settings, and then denies nothing', async () => {
    const folder = createFolder({ 'sluice.config.yaml': 'admission: { enforce: perhaps }\n' })
    const flags = ['--standalone', '--config', 'sluice.config.yaml']
    const webhook = await start(flags, folder, { KUBERNETES_SERVICE_HOST: HOST, KUBERNETES_SERVICE_PORT: '1' })
    await vi.waitFor(() => expect(webhook.said()).toContain('caBundle: '), PATIENCE)
    const ca = Buffer.from(/caBundle: (\S+)/.exec(webhook.said())?.[1] ?? '', 'base64').toString()
    expect(await validate(webhook, ca, BAD)).toMatchObject({ response: { allowed: true } })
    expect(await webhook.metrics()).toContain('sluice_settings_valid 0\n')
    writeFileSync(join(folder, 'sluice.config.yaml'), 'admission: { enforce: deny }\n')
    const allows = async () => (await validate(webhook, ca, BAD)).response.allowed
    await vi.waitFor(async () => expect(await allows()).toBe(false), PATIENCE)
  })

  it('reports that a port is in use', async () => {
    const webhook = await start(['--standalone'])
    const again = start(['--standalone', '--port', String(webhook.port)])
    await expect(again).rejects.toThrow(`ended with 2: sluice: port ${webhook.port} is in use`)
  })

  it('asks for the Node that it needs', async () => {
    const { code, stderr } = await sluice(['serve', 'admission'], { nodeVersion: '22.18.0' })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('needs Node 22.19 or newer') })
  })
})
