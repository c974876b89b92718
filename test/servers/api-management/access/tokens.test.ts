/** Tokens that somebody else has signed, with real keys: which are accepted, and which are forged. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { TokenError } from '../../../../src/servers/api-management/access/access.ts'
import { createAccess } from '../../../../src/servers/api-management/access/authenticate.ts'
import { createTokenCheck, readKeys, remoteKeys } from '../../../../src/servers/api-management/access/tokens.ts'
import { casesOf } from '../../../support/cases.ts'
import { serve, serveInTest } from '../served.ts'

const { each } = casesOf(import.meta.url)

const NOW = Date.parse('2026-01-02T03:04:05Z')
const SECONDS = NOW / 1000
const ISSUER = 'https://issuer.example'
const AUDIENCE = 'sluice'

const KEYS = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  EdDSA: generateKeyPairSync('ed25519'),
}
type Algorithm = keyof typeof KEYS
const ALGORITHMS = Object.keys(KEYS) as Algorithm[]

const publicKeys = async (names: readonly Algorithm[] = ALGORITHMS) => ({
  keys: await Promise.all(names.map(async (alg) => ({ ...(await exportJWK(KEYS[alg].publicKey)), kid: alg, alg }))),
})

const CLAIMS = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp: SECONDS + 600, roles: ['editor:team'] }

const signed = (claims: object, alg: Algorithm = 'RS256', header: object = {}) =>
  new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader({ alg, kid: alg, ...header }).sign(KEYS[alg].privateKey)

const start = async (names?: readonly Algorithm[]) => {
  const keys = readKeys(JSON.stringify(await publicKeys(names)))
  return createTokenCheck({ keys, issuer: ISSUER, audience: AUDIENCE, wallClock: () => NOW })
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token by hand, whatever its header says. */
function forged(header: object, signature: (text: string) => Buffer): string {
  const text = `${encoded(header)}.${encoded(CLAIMS)}`
  return `${text}.${signature(text).toString('base64url')}`
}

describe('a token', () => {
  it.each(ALGORITHMS)('that is signed with %s is accepted, and its roles are those of its user', async (alg) => {
    const user = await (await start())(await signed({}, alg))
    expect(user).toMatchObject({ name: 'jwt:ada', isAdministrator: false, mustChangePassword: false })
    const may = [user.mayEdit, user.mayRead].map((does) => ['team', 'others'].map(does))
    expect(may).toEqual(Array(2).fill([true, false]))
  })

  each<[string, unknown, boolean]>('with %s as roles is read', async (_, roles, isAdministrator) => {
    expect((await (await start())(await signed({ roles }))).isAdministrator).toBe(isAdministrator)
  })

  it('may be a minute too late or too early, and no more', async () => {
    const check = await start()
    await expect(check(await signed({ exp: SECONDS - 59 }))).resolves.toMatchObject({ name: 'jwt:ada' })
    await expect(check(await signed({ nbf: SECONDS + 59 }))).resolves.toMatchObject({ name: 'jwt:ada' })
    await expect(check(await signed({ exp: SECONDS - 61 }))).rejects.toThrow('the token has expired')
    await expect(check(await signed({ nbf: SECONDS + 61 }))).rejects.toThrow('the claim nbf')
  })

  each<[string, object, string]>('with %s is refused', async (_, claims, message) => {
    const check = await start()
    await expect(check(await signed(claims))).rejects.toThrow(message)
    await expect(check(await signed(claims))).rejects.toThrow(TokenError)
  })

  it('that is not signed, or with a public key as the secret, is refused', async () => {
    const check = await start()
    const pem = KEYS.RS256.publicKey.export({ type: 'spki', format: 'pem' })
    const none = () => Buffer.alloc(0)
    for (const alg of ['none', 'None', 'NONE', ''])
      await expect(check(forged({ alg, kid: 'RS256' }, none))).rejects.toThrow(TokenError)
    for (const secret of [pem, JSON.stringify((await publicKeys()).keys[0])])
      for (const kid of [undefined, 'RS256']) {
        const hmac = (text: string) => createHmac('sha256', secret).update(text).digest()
        await expect(check(forged({ alg: 'HS256', kid }, hmac))).rejects.toThrow('the algorithm')
      }
  })

  it('that brings its own key, or names an address for it, is refused', async () => {
    const check = await start()
    const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const byOwn = (text: string) => sign('sha256', Buffer.from(text), own.privateKey)
    const jwk = await exportJWK(own.publicKey)
    for (const header of [
      { jwk },
      { jku: 'http://127.0.0.1:1/keys' },
      { x5u: 'http://127.0.0.1:1/' },
      { kid: 'RS256' },
    ])
      await expect(check(forged({ alg: 'RS256', ...header }, byOwn))).rejects.toThrow(TokenError)
  })

  it('whose key is that of another algorithm is refused', async () => {
    const check = await start()
    const byKey = (key: KeyObject) => (text: string) => sign('sha512', Buffer.from(text), key)
    await expect(check(forged({ alg: 'RS512', kid: 'RS256' }, byKey(KEYS.RS256.privateKey)))).rejects.toThrow(
      'the algorithm',
    )
    await expect((await start(['ES256']))(await signed({}))).rejects.toThrow('there is no key')
  })

  it('that was changed is refused', async () => {
    const check = await start()
    const [header, , signature] = (await signed({})).split('.')
    const claims = encoded({ ...CLAIMS, roles: ['administrator'] })
    await expect(check(`${header}.${claims}.${signature}`)).rejects.toThrow('the token is not valid')
    for (const text of ['', '.', '..', 'a.b.c', 'x', `${header}.${claims}`, 'a.b.c.d.e'])
      await expect(check(text)).rejects.toThrow(TokenError)
  })

  it('without the id of its key is checked with each that could be it', async () => {
    const { keys } = await publicKeys(['RS256', 'PS256'])
    const plain = keys.map(({ kid: _, alg: __, ...key }) => key)
    const check = createTokenCheck({
      ...{ keys: readKeys(JSON.stringify({ keys: plain })), issuer: ISSUER, audience: AUDIENCE },
      wallClock: () => NOW,
    })
    for (const alg of ['RS256', 'PS256'] as const)
      await expect(check(await signed({}, alg, { kid: undefined }))).resolves.toMatchObject({ name: 'jwt:ada' })
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    await expect(check(forged({ alg: 'RS256' }, (text) => sign('sha256', Buffer.from(text), other)))).rejects.toThrow(
      'the token is not valid',
    )
  })
})

describe('keys', () => {
  each<[string, string]>('that are %s are refused', (_, text) => {
    expect(() => readKeys(text)).toThrow()
  })

  it('that are private are refused', async () => {
    const key = await exportJWK(KEYS.ES256.privateKey)
    expect(() => readKeys(JSON.stringify({ keys: [key] }))).toThrow('private key')
  })

  it('at an address are read once, and again for an unknown key, but not for each request', async () => {
    let served = await publicKeys(['RS256'])
    let status = 200
    let count = 0
    const port = await serveInTest((_, response) => {
      count += 1
      response.writeHead(status).end(JSON.stringify(served))
    })
    const clock = { now: 0 }
    const problems: unknown[] = []
    const address = new URL(`http://127.0.0.1:${port}/keys`)
    const fresh = () => remoteKeys(address, { now: () => clock.now, onProblem: (error) => problems.push(error) })
    const checkWith = (keys: ReturnType<typeof fresh>) =>
      createTokenCheck({ keys, issuer: ISSUER, audience: AUDIENCE, wallClock: () => NOW })
    const check = checkWith(fresh())
    const token = await signed({})
    await Promise.all(Array.from({ length: 50 }, () => check(token)))
    await check(token)
    expect(count).toBe(1)
    // An unknown key so soon is not looked for.
    const later = await signed({}, 'ES256')
    await expect(check(later)).rejects.toThrow('there is no key')
    expect(count).toBe(1)
    served = await publicKeys(['RS256', 'ES256'])
    await expect(checkWith(fresh())(later)).resolves.toMatchObject({ name: 'jwt:ada' })
    // An address that fails is left alone for a while.
    status = 500
    const failing = checkWith(fresh())
    const before = count
    for (let asked = 0; asked < 5; asked += 1) await expect(failing(token)).rejects.toMatchObject({ status: 503 })
    expect([count - before, problems.length]).toEqual([1, 1])
    status = 200
    clock.now += 10_000
    await expect(failing(token)).resolves.toMatchObject({ name: 'jwt:ada' })
    // What is served is no set of public keys.
    served = { keys: [] }
    await expect(checkWith(fresh())(token)).rejects.toMatchObject({ status: 503 })
  })
})

/** Nobody is signed in. */
const NOBODY = {
  sessions: { find: async () => undefined },
  passwords: { check: async () => undefined, hash: async () => '' },
  machineTokens: () => Promise.reject(new TokenError('none')),
}

describe('over HTTP', () => {
  it('a token is as good as a password, and why it is refused stands in the header', async () => {
    const { get, post } = serve({ access: createAccess({ ...NOBODY, tokens: await start() }) })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const admin = bearer(await signed({ roles: ['administrator'] }))
    expect((await post('/services/workspaces', { name: 'team' }, admin)).status).toBe(201)
    await post('/services/workspaces/team/proxies', { name: 'coffee' }, bearer(await signed({})))
    const { body } = await get('/services/workspaces/team/proxies/coffee/history', admin)
    expect(body.items[0].by).toBe('jwt:ada')
    const { status, headers } = await get('/services/workspaces', bearer(await signed({ exp: SECONDS - 100 })))
    expect([status, headers['www-authenticate']]).toEqual([
      401,
      'Basic realm="sluice", charset="UTF-8", Bearer realm="sluice", error="invalid_token", error_description="the token has expired"',
    ])
  })

  it('the user of a token is no user of the same name', async () => {
    const { get, put } = serve({ access: createAccess({ ...NOBODY, tokens: await start() }) })
    const headers = { authorization: `Bearer ${await signed({ sub: 'admin' })}` }
    expect((await get('/users/admin', headers)).status).toBe(403)
    expect((await put('/users/admin/password', { password: 'another password' }, headers)).status).toBe(403)
  })
})
