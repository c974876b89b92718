/** Signing in at a provider of OpenID Connect: a real one (oidc-provider), the built server, and a browser. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import Provider, { type JWKS } from 'oidc-provider'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createOidc, DEFAULT_MAPPING } from '../../src/servers/api-management/access/oidc.ts'
import { createFolder } from '../files/folder.ts'
import { freePort } from '../free-ports.ts'
import { expectAccessible } from './accessible.ts'
import { useBrowser } from './chromium.ts'
import { otherManagement } from './management-server.ts'

const GROUPS: Record<string, readonly string[]> = { ada: ['shop-team'], zoe: ['platform'], eve: ['visitors'] }

/** The provider, at which whoever comes is signed in as `account`. */
const idp = { issuer: '', account: 'ada', callbacks: ['http://127.0.0.1:1/back'], keys: newKeys('first') }

function newKeys(kid: string): JWKS {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { keys: [{ ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' }] } as JWKS
}

const createProvider = () =>
  new Provider(idp.issuer, {
    clients: [{ client_id: 'sluice', client_secret: 'a secret: with+signs', redirect_uris: [...idp.callbacks], id_token_signed_response_alg: 'ES256' }],
    ...{ jwks: idp.keys, conformIdTokenClaims: false, claims: { openid: ['sub'], groups: ['groups'] } },
    ...{ scopes: ['openid', 'groups'], features: { devInteractions: { enabled: false } }, cookies: { keys: ['k'] } },
    ...{ pkce: { required: () => true }, interactions: { url: (_, { uid }) => `/login/${uid}` } },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, groups: [...(GROUPS[sub] ?? [])] }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: 'sluice', accountId: oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid groups')
      await grant.save()
      return grant
    },
  })

let provider: Provider
const server = createServer((request, response) => {
  if (!request.url?.startsWith('/login/')) return void provider.callback()(request, response)
  void provider.interactionFinished(request, response, { login: { accountId: idp.account } })
})

beforeAll(async () => {
  const port = await freePort()
  idp.issuer = `http://127.0.0.1:${port}`
  provider = createProvider()
  await once(server.listen(port, '127.0.0.1'), 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const browser = useBrowser()
const MAPPING = { claim: 'groups', scope: 'openid groups', roles: { 'shop-team': ['editor:shop'], platform: ['administrator'] } }

/** A management API that knows the provider, and is known there. */
async function startKnown() {
  const files = createFolder({ secret: 'a secret: with+signs\n', 'claims.json': JSON.stringify(MAPPING) })
  const flags = [
    ...['--oidc-issuer', idp.issuer, '--oidc-client-id', 'sluice', '--oidc-name', 'Example'],
    ...['--oidc-client-secret-file', `${files}/secret`, '--oidc-claims', `${files}/claims.json`],
  ]
  const known = await otherManagement({ hasNginx: false, flags })
  idp.callbacks.push(`${known.url}session/oidc/callback`)
  provider = createProvider()
  return known
}

test('people sign in at the provider, come back to where they were, and sign out there, too', async () => {
  const known = await startKnown()
  idp.account = 'ada'
  const { context } = await browser.other()
  const page = await context.newPage()
  await page.goto(`${known.url}#/services/shop`)
  await page.getByRole('link', { name: 'Sign in with Example' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Sign in with Example' }).click()
  await page.getByRole('heading', { name: 'shop' }).waitFor()
  expect(page.url()).toBe(`${known.url}#/services/shop`)
  await page.getByRole('link', { name: 'oidc:ada' }).waitFor()
  // What they may is what the claim says, also with a token of theirs.
  expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Tokens' }).click()
  await page.getByText('Add Token').click()
  await page.getByLabel('Name').fill('deploy')
  await page.getByLabel('editor:shop').check()
  await page.getByRole('button', { name: 'Make token' }).click()
  const secret = await page.getByLabel('Secret of deploy').inputValue()
  const asToken = async () => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ policies: { 'rate-limit': [] } })
    return (await fetch(`${known.url}services/workspaces/shop/proxies?dryRun=true`, { method: 'POST', headers, body })).status
  }
  expect(await asToken()).toBe(200)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${idp.issuer}/session/end?client_id=sluice`)
  expect((await context.cookies(known.url)).filter(({ name }) => name.startsWith('sluice'))).toEqual([])
  await page.goto(known.url)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  // Whoever has lost all groups is told so, and his tokens are worth nothing.
  GROUPS.ada = []
  await page.getByRole('link', { name: 'Sign in with Example' }).click()
  await page.getByText('You are known to the provider, but have no role here.').waitFor()
  expect(page.url()).toBe(known.url)
  expect(await asToken()).toBe(403)
  GROUPS.ada = ['shop-team']
  const audit = await (await known.call('GET', '/audit?name=oidc:ada')).json()
  expect(Object(audit).items.map((one: { action: string; by: string }) => [one.action, one.by])).toEqual([
    ['changed', 'oidc:ada'],
    ['created', 'oidc:ada'],
  ])
})

/** Walks from an address to the next one that `isEnd`, as a browser does, with its cookies. */
async function walk(from: string, isEnd: (url: string) => boolean, jar: Map<string, string>): Promise<string> {
  let url = from
  while (!isEnd(url)) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    await response.arrayBuffer()
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      jar.set(name, value)
    }
    expect(response.status).toBe(303)
    url = new URL(response.headers.get('location') ?? '', url).href
  }
  return url
}

test('a response that is not the one which was asked for signs nobody in', async () => {
  const known = await startKnown()
  idp.account = 'zoe'
  const isBack = (url: string) => url.includes('/session/oidc/callback')
  const begin = async () => {
    const jar = new Map<string, string>()
    return { jar, back: new URL(await walk(`${known.url}session/oidc?to=%23/services`, isBack, jar)) }
  }
  const end = async (back: URL, jar: ReadonlyMap<string, string>, change: Readonly<Record<string, string>> = {}) => {
    for (const [name, value] of Object.entries(change)) back.searchParams.set(name, value)
    const cookie = `sluice-oidc=${jar.get('sluice-oidc')}`
    const response = await fetch(back, { redirect: 'manual', headers: { cookie } })
    const session = response.headers.getSetCookie().some((set) => set.startsWith('sluice-session='))
    return [response.headers.get('location'), session]
  }
  const { jar, back } = await begin()
  const other = await begin()
  for (const [sent, cookies, change, problem] of [
    [back, new Map(), {}, 'expired'],
    [back, other.jar, {}, 'expired'],
    [back, new Map([['sluice-oidc', `${jar.get('sluice-oidc')}A`]]), {}, 'expired'],
    [new URL(back), jar, { state: 'another' }, 'expired'],
    [new URL(back), jar, { iss: 'https://other.example' }, 'refused'],
    [new URL(back), jar, { code: 'guessed' }, 'refused'],
    [new URL(back), jar, { code: other.back.searchParams.get('code') ?? '' }, 'refused'],
  ] as const)
    expect(await end(sent, cookies, change)).toEqual([`/?sign-in=${problem}`, false])
  expect(await end(back, jar)).toEqual(['/#/services', true])
  // A code is good once.
  expect(await end(back, jar)).toEqual(['/?sign-in=refused', false])
  const places = ['https://evil.example', '//evil.example', '%23/a%0d%0aset-cookie:x=y', 'javascript:alert(1)']
  for (const to of places) expect((await fetch(`${known.url}session/oidc?to=${to}`)).status).toBe(400)
  expect(await known.call('PUT', '/users/oidc:zoe', { roles: [] })).toMatchObject({ status: 409 })
  expect(await known.call('PUT', '/users/oidc:zoe/password', { password: 'a long password' })).toMatchObject({ status: 409 })
  const asPassword = { user: 'oidc:zoe', password: '' }
  expect(await known.call('POST', '/session', asPassword)).toMatchObject({ status: 401 })
})

test('new keys of the provider are taken up, and an ID token that is not the one which was asked for is refused', async () => {
  const redirectUri = 'http://127.0.0.1:1/back'
  provider = createProvider()
  vi.useFakeTimers({ toFake: ['Date'] })
  const problems: unknown[] = []
  const open = (more: object) =>
    createOidc({
      ...{ issuer: new URL(idp.issuer), clientId: 'sluice', clientSecret: 'a secret: with+signs', name: '' },
      ...{ mapping: { ...DEFAULT_MAPPING, claim: 'groups', scope: 'openid groups' }, now: Date.now, wallClock: Date.now },
      onProblem: (error: unknown) => void problems.push(error),
      ...more,
    })
  const signIn = async (oidc = open({}), asked: Readonly<Record<string, string>> = {}) => {
    const { location, sealed } = await oidc.begin('', redirectUri)
    const from = new URL(location)
    for (const [name, value] of Object.entries(asked)) from.searchParams.set(name, value)
    const back = await walk(from.href, (url) => url.startsWith(redirectUri), new Map())
    return await oidc.finish(new URL(back).searchParams, sealed)
  }
  const oidc = open({})
  expect(await signIn(oidc)).toEqual({ identity: { name: 'oidc:zoe', roles: ['platform'] }, to: '' })
  idp.keys = newKeys('second')
  provider = createProvider()
  vi.setSystemTime(Date.now() + 31_000)
  expect(await signIn(oidc)).toMatchObject({ identity: { name: 'oidc:zoe' } })
  vi.useRealTimers()
  await expect(signIn(oidc, { nonce: 'another' })).rejects.toThrow('another sign-in')
  await expect(signIn(open({ clientSecret: 'wrong' }))).rejects.toMatchObject({ problem: 'refused' })
  await expect(signIn(open({ wallClock: () => Date.now() + 7_200_000 }))).rejects.toMatchObject({ problem: 'refused' })
  await expect(signIn(open({ mapping: { ...DEFAULT_MAPPING, name: 'email', scope: 'openid' } }))).rejects.toThrow('email')
  expect(problems).toEqual([])
  await expect(signIn(open({ issuer: new URL(`${idp.issuer}/other`) }))).rejects.toMatchObject({ problem: 'unavailable' })
  expect(problems).toHaveLength(1)
})
