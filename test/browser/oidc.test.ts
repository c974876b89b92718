/** Signing in at a provider of OpenID Connect: a real one (oidc-provider), the built server, and a browser. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import Provider, { type Configuration, type JWKS } from 'oidc-provider'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createOidc, DEFAULT_MAPPING } from '../../src/servers/api-management/access/oidc.ts'
import { createFolder } from '../files/folder.ts'
import { freePort } from '../free-ports.ts'
import { casesOf } from '../support/cases.ts'
import { useBrowser } from './chromium.ts'
import { managementSteps } from './management-page.ts'
import { useManagement } from './management-server.ts'
import { describeOnPage } from './scripts.ts'

const { cases } = casesOf(import.meta.url)
const client = cases<{ client_id: string; client_secret: string }>('client')
const groups = cases<Record<string, string[]>>('groups')
const ISSUER = `http://127.0.0.1:${await freePort()}`
const NOWHERE = 'http://127.0.0.1:1/back'
/** Whoever comes to the provider is signed in as this one. */
const login = { accountId: 'ada' }
const logoutSource = (ctx: object, form: string) => void Object.assign(ctx, { body: `${form}Goodbye` })
let provider: Provider

function startProvider(): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  provider = new Provider(ISSUER, {
    ...cases<Configuration>('provider'),
    clients: [{ ...client, redirect_uris: [NOWHERE, `${server.url}session/oidc/callback`] }],
    jwks: { keys: [privateKey.export({ format: 'jwk' })] } as JWKS,
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { logoutSource } },
    interactions: { url: (_, { uid }) => `/login/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, groups: groups[sub] ?? [] }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: 'sluice', accountId: oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid groups')
      await grant.save()
      return grant
    },
  })
}

const http = createServer((request, response) => {
  if (!request.url?.startsWith('/login/')) return void provider.callback()(request, response)
  void provider.interactionFinished(request, response, { login })
})
const files = createFolder({ secret: client.client_secret, 'claims.json': JSON.stringify(cases('claims')) }, afterAll)
const names = ['--oidc-issuer', ISSUER, '--oidc-client-id', 'sluice', '--oidc-name', 'Example']
const flags = [...names, '--oidc-client-secret-file', `${files}/secret`, '--oidc-claims', `${files}/claims.json`]
const server = useManagement({ hasNginx: false, flags })
const browser = useBrowser()

beforeAll(async () => {
  await once(http.listen(new URL(ISSUER).port), 'listening')
  startProvider()
})
afterAll(() => {
  http.closeAllConnections()
  http.close()
})

/** Walks to the address that begins with a text, as a browser does, with its cookies. */
async function walk(from: string, end: string, jar = new Map<string, string>()): Promise<URL> {
  if (from.startsWith(end)) return new URL(from)
  const headers = { cookie: [...jar].map((pair) => pair.join('=')).join('; ') }
  const response = await fetch(from, { redirect: 'manual', headers })
  for (const set of response.headers.getSetCookie()) jar.set(...(set.split(/[=;]/) as [string, string]))
  return await walk(new URL(response.headers.get('location') ?? '', from).href, end, jar)
}

describeOnPage(browser, 'oidc', (player) => {
  const { steps, variables } = managementSteps(server)(player)
  const known = new Map<string, { readonly jar: Map<string, string>; readonly back: URL }>()
  return {
    variables: () => ({ ...variables?.(), ISSUER }),
    steps: {
      ...steps,
      account: async (accountId) => void Object.assign(login, { accountId }),
      groups: async (words) => void Object.assign(groups, { ada: [words] }),
      async begin(name) {
        const jar = new Map<string, string>()
        const back = await walk(`${server.url}session/oidc?to=%23/services`, `${server.url}session/oidc/`, jar)
        known.set(name, { jar, back })
      },
      /** Comes back as another: `a cookie=b state=other`, where `@b` is what `b` has. */
      async back(words) {
        const [name = '', ...changes] = words.split(' ')
        const { jar, back } = known.get(name) ?? { jar: new Map<string, string>(), back: new URL(server.url) }
        const url = new URL(back)
        let cookie = jar.get('sluice-oidc')
        for (const [part = '', value = ''] of changes.map((change) => change.split('='))) {
          const other = known.get(value.slice(1))
          if (part === 'cookie') cookie = other?.jar.get('sluice-oidc') ?? value
          else url.searchParams.set(part, other?.back.searchParams.get(part) ?? value)
        }
        const response = await fetch(url, { redirect: 'manual', headers: { cookie: `sluice-oidc=${cookie}` } })
        const isSignedIn = response.headers.getSetCookie().some((set) => set.startsWith('sluice-session='))
        return `${response.headers.get('location')}${isSignedIn ? ' signed in' : ''}`
      },
      async status(words) {
        const [method = '', path = ''] = words.split(' ')
        return (await server.call(method, path, method === 'PUT' ? {} : undefined)).status
      },
      async token(secret) {
        const headers = { authorization: `Bearer ${await player.page().getByLabel(secret).inputValue()}` }
        return (await fetch(`${server.url}services/workspaces/shop`, { headers })).status
      },
    },
  }
})

test('new keys of the provider are taken up, and an ID token that is not the one which was asked for is refused', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const open = (more: object) =>
    createOidc({
      ...{ issuer: new URL(ISSUER), clientId: 'sluice', clientSecret: client.client_secret, onProblem() {} },
      ...{
        mapping: { ...DEFAULT_MAPPING, scope: 'openid groups' },
        now: Date.now,
        wallClock: Date.now,
        name: '',
        ...more,
      },
    })
  const signIn = async (oidc = open({}), nonce?: string) => {
    const { location, sealed } = await oidc.begin('', NOWHERE)
    const from = nonce === undefined ? location : location.replace(/nonce=[^&]*/, `nonce=${nonce}`)
    return await oidc.finish((await walk(from, NOWHERE)).searchParams, sealed)
  }
  const oidc = open({})
  login.accountId = 'zoe'
  expect(await signIn(oidc)).toMatchObject({ identity: { name: 'oidc:zoe' } })
  startProvider()
  vi.setSystemTime(Date.now() + 31_000)
  expect(await signIn(oidc)).toMatchObject({ identity: { name: 'oidc:zoe' } })
  await expect(signIn(oidc, 'another')).rejects.toThrow('another sign-in')
  vi.useRealTimers()
  await expect(signIn(open({ wallClock: () => Date.now() + 7_200_000 }))).rejects.toMatchObject({ problem: 'refused' })
  await expect(signIn(open({ clientSecret: 'wrong' }))).rejects.toMatchObject({ problem: 'refused' })
  await expect(signIn(open({ issuer: new URL(`${ISSUER}/x`) }))).rejects.toMatchObject({ problem: 'unavailable' })
})
