/** Certificate, key and settings in files that are replaced, deleted, corrupted and emptied, and clocks that jump, under load. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAuthority, issueServing } from '../../../src/http/authority.ts'
import type { TlsMaterial } from '../../../src/http/listen.ts'
import { hasOtherClocks } from '../admission-server.ts'
import { useCluster, useWebhook } from '../cluster.ts'
import { startLoad } from '../load.ts'
import { gateway, until } from '../resources.ts'

const cluster = useCluster({ objects: [gateway('edge')] })
const { store } = cluster
const path = (name: string) => join(cluster.folder, name)
const write = (name: string, text: string) => writeFileSync(path(name), text)
beforeAll(() => {
  write('settings.yaml', 'admission: { enforce: deny }\n')
  write('clock', '+0s')
})
const webhook = useWebhook(cluster, {
  more: () => ['--config', path('settings.yaml')],
  failurePolicy: 'Fail',
  start: () => (hasOtherClocks ? { clock: path('clock') } : {}),
})
const { isDenying } = webhook

const DAY = 24 * 3_600_000
const issue = (by: TlsMaterial) =>
  issueServing(by, ['localhost', '127.0.0.1'], { from: Date.now() - DAY, until: Date.now() + DAY })
const use = ({ cert, key }: TlsMaterial) => {
  write('webhook.key', key)
  write('webhook.crt', cert)
}

/** Waits until one more line of the log has some words. */
async function logged(words: string, cause: () => unknown): Promise<void> {
  const count = () => webhook.server.log.filter((line) => line.includes(words)).length
  const before = count()
  await cause()
  await until(`the log has "${words}"`, () => count() > before)
}

const REJECTED = 'the new certificate cannot be used; the old one stays in use'

describe('a certificate', () => {
  test.each<readonly [string, () => unknown, string]>([
    ['whose certificate is deleted', () => rmSync(path('webhook.crt')), 'no such file'],
    ['whose key is deleted', () => rmSync(path('webhook.key')), 'no such file'],
    ['whose certificate is empty', () => write('webhook.crt', ''), 'the certificate is not in PEM format'],
    ['whose key is empty', () => write('webhook.key', ''), 'the key is not in PEM format'],
    ['whose certificate is corrupted', () => write('webhook.crt', 'no'), 'the certificate is not in PEM format'],
    ['whose key is corrupted', () => write('webhook.key', 'no'), 'the key is not in PEM format'],
    [
      'whose key is that of another',
      async () => write('webhook.key', (await issue(webhook.certificate.authority)).key),
      'the key does not belong to the certificate',
    ],
  ])('%s stays in use until there is a new one, and not one call fails', async (_, breakFiles, reason) => {
    const load = startLoad(cluster)
    await load.grow(2)
    await logged(REJECTED, breakFiles)
    expect(webhook.server.log.findLast((line) => line.includes(REJECTED))).toContain(reason)
    await load.grow(2)
    await logged('a new certificate is in use', async () => use(await issue(webhook.certificate.authority)))
    await load.grow(2)
    expect(await load.stop()).toEqual([])
  })

  test('of an authority that nobody trusts fails calls until it is replaced, and kubectl says why', async () => {
    const stranger = await createAuthority('stranger', { from: Date.now() - DAY, until: Date.now() + DAY })
    await logged('a new certificate is in use', async () => use(await issue(stranger)))
    await until('new connections fail', async () => {
      const load = startLoad(cluster)
      await load.grow(20)
      return (await load.stop()).some((refusal) =>
        refusal.includes('failed to verify certificate: x509: certificate signed by unknown authority'),
      )
    })
    await logged('a new certificate is in use', async () => use(await issue(webhook.certificate.authority)))
    await until('the webhook denies', isDenying)
  })
})

describe('settings', () => {
  const valid = async () => /^sluice_settings_valid (\d)$/m.exec(await webhook.server.metrics())?.[1]
  const WARN = 'admission: { enforce: warn }\n'

  test.each<readonly [string, () => unknown]>([
    ['deleted', () => rmSync(path('settings.yaml'))],
    ['corrupted', () => write('settings.yaml', 'admission: {\u0000')],
    ['of unknown keys', () => write('settings.yaml', 'admission: { enforced: deny }\n')],
    [
      'replaced by a folder',
      () => {
        rmSync(path('settings.yaml'))
        mkdirSync(path('settings.yaml'))
      },
    ],
  ])('%s are reported and the old ones stay in force, until they are back as they were', async (_, breakFile) => {
    write('settings.yaml', WARN)
    await until('nothing is denied', async () => !(await isDenying()))
    const load = startLoad(cluster)
    await load.grow(2)
    await logged('the new settings are invalid; the old ones stay in force', breakFile)
    expect([await valid(), await isDenying()]).toEqual(['0', false])
    rmSync(path('settings.yaml'), { recursive: true, force: true })
    await logged('new settings are in force', () => write('settings.yaml', WARN))
    expect([await valid(), await isDenying()]).toEqual(['1', false])
    expect(await load.stop()).toEqual([])
  })

  test('that are empty are the defaults', async () => {
    write('settings.yaml', WARN)
    await until('nothing is denied', async () => !(await isDenying()))
    write('settings.yaml', '')
    await until('the webhook denies', isDenying)
    expect(await valid()).toBe('1')
  })
})

test.runIf(hasOtherClocks)(
  'a clock that jumps an hour, a year, and back changes nothing for calls and watches',
  async () => {
    const load = startLoad(cluster)
    await load.grow(2)
    const moveTo = async (moved: string) => {
      write('clock', moved)
      await load.grow(2)
      await logged('"outcome":"denied"', isDenying)
      const { time } = JSON.parse(webhook.server.log.findLast((line) => line.includes('"outcome":"denied"')) ?? '')
      expect(Math.abs(Date.parse(time) - Date.now() - Number.parseInt(moved, 10) * 1000)).toBeLessThan(60_000)
      expect(await webhook.server.ready()).toBe(200)
    }
    const known = async () =>
      Number(/^sluice_watch_objects\{kind="Gateway"\} (\d+)$/m.exec(await webhook.server.metrics())?.[1])
    const checkWatches = async () => {
      await until('the watches are synced', () => webhook.server.isSynced())
      const before = await known()
      await store([gateway(`edge-${before}`)])
      await until('the watch has the Gateway', async () => (await known()) === before + 1)
    }
    for (const moved of ['+3600s', '-3600s']) {
      await moveTo(moved)
      await checkWatches()
    }
    // The certificate of the API server has expired by then: a watch that has to connect anew waits until the clock is right.
    await moveTo(`+${400 * 24 * 3600}s`)
    await moveTo('+0s')
    await checkWatches()
    expect(await load.stop()).toEqual([])
  },
)
