/** Who gets into `sluice serve api-management`: the one-time password, the file of a password, and keys that change. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../../files/folder.ts'
import { startProgram } from '../../program.ts'
import { fetchAsAdmin, startApiManagement } from '../program.ts'

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** Starts it without a password file. Resolves when it listens. */
async function start(cwd: string) {
  const { child, first, ended, said } = await startProgram(['api-management', '--plain-http'], cwd)
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { url: `http://127.0.0.1:${first.port}`, first, said, stop }
}

const oneTime = (text: string) => /one-time password (\S+)/.exec(text)?.[1] ?? ''

describe('the user admin', () => {
  it('gets a one-time password that is good for nothing but to choose another one', async () => {
    const cwd = createFolder()
    const lost = await start(cwd)
    expect(lost.first.msg).toBe('listening')
    await expect.poll(lost.said).toContain('one-time password')
    await lost.stop()
    const { url, said, stop } = await start(cwd)
    await expect.poll(said).toContain('one-time password')
    const password = oneTime(said())
    expect(password).not.toBe(oneTime(lost.said()))
    const get = (headers: Record<string, string> = {}) => fetch(`${url}/services/workspaces`, { headers })
    expect((await get()).status).toBe(401)
    expect((await get(basic('admin', oneTime(lost.said())))).status).toBe(401)
    expect((await get(basic('admin', password))).status).toBe(403)
    const chosen = 'a password of my own'
    const changed = await fetch(`${url}/users/admin/password`, {
      method: 'PUT',
      headers: { ...basic('admin', password), 'content-type': 'application/json' },
      body: JSON.stringify({ oldPassword: password, password: chosen }),
    })
    expect(changed.status).toBe(204)
    expect((await get(basic('admin', password))).status).toBe(401)
    expect((await get(basic('admin', chosen))).status).toBe(200)
    await stop()
    const later = await start(cwd)
    const { status } = await fetch(`${later.url}/services/workspaces`, { headers: basic('admin', chosen) })
    expect(status).toBe(200)
    await expect.poll(later.said).toBe(`sluice: the page is at ${later.url}/\n`)
  })

  it('gets in two hundred times at once, with hashes as expensive as they are', async () => {
    const { url } = await startApiManagement(['--plain-http'], createFolder())
    const logins = Array.from({ length: 200 }, () => fetchAsAdmin(`${url}/services/workspaces`))
    expect(new Set((await Promise.all(logins)).map(({ status }) => status))).toEqual(new Set([200]))
    const guesses = Array.from({ length: 200 }, (_, index) =>
      fetch(`${url}/services/workspaces`, { headers: basic('admin', `guess ${index}`) }),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(195)
    expect((await fetchAsAdmin(`${url}/services/workspaces`)).status).toBe(200)
  })

  it('is told where others can read the file of the password', async () => {
    const cwd = createFolder({ password: 'a password of mine\n' })
    chmodSync(join(cwd, 'password'), 0o644)
    const child = await startApiManagement(['--plain-http', '--admin-password-file', 'password'], cwd)
    await expect.poll(() => child.lines().map(({ msg }) => msg)).toContainEqual(expect.stringContaining('chmod 600'))
    expect(child.lines()[0]?.msg).toBe('listening')
    const headers = basic('admin', 'a password of mine')
    expect((await fetch(`${child.url}/services/workspaces`, { headers })).status).toBe(200)
  })
})

const KEYS = ['--jwks', 'keys.json', '--jwt-issuer', 'me', '--jwt-audience', 'sluice']

describe('tokens', () => {
  const jwks = async (key: KeyObject) => JSON.stringify({ keys: [await exportJWK(key)] })
  const token = (key: KeyObject) =>
    new SignJWT({ roles: ['reader'] })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer('me')
      .setAudience('sluice')
      .setSubject('ada')
      .setExpirationTime('5m')
      .sign(key)

  it('are accepted with the keys of the file as it is now', async () => {
    const [one, other] = [1, 2].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }))
    if (!one || !other) throw new Error('no keys')
    const cwd = createFolder({ 'keys.json': await jwks(one.publicKey) })
    const { url, lines } = await startApiManagement(['--plain-http', ...KEYS], cwd)
    const status = async (key: KeyObject) =>
      (await fetch(`${url}/services/workspaces`, { headers: { authorization: `Bearer ${await token(key)}` } })).status
    expect([await status(one.privateKey), await status(other.privateKey)]).toEqual([200, 401])
    writeFileSync(join(cwd, 'keys.json'), await jwks(other.publicKey))
    await expect.poll(() => status(other.privateKey)).toBe(200)
    expect(await status(one.privateKey)).toBe(401)
    writeFileSync(join(cwd, 'keys.json'), '{')
    await expect.poll(() => lines().at(-1)?.level).toBe('warn')
    expect(await status(other.privateKey)).toBe(200)
  })
})
