/** Which hosts a proxy may pass requests to, whatever they are written like. Names are resolved by this machine. */
import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { resolve } from '../../../src/servers/api-management/backends/check.ts'
import { casesOf } from '../../support/cases.ts'
import { ADMIN, basic, startAccounts } from './access/accounts.ts'
import { TEAM } from './served.ts'

const { cases, each } = casesOf(import.meta.url)

type Row = [allowed: string[] | undefined, host: string, port: number, expected: string]

const WORDS: readonly (readonly [string, RegExp])[] = [
  ['own', / is this server itself$/],
  ['loopback', / is an address of this machine, which only an administrator allows$/],
  ['link-local', / is a link-local address, which only an administrator allows$/],
  ['metadata', / is a metadata address, which only an administrator allows$/],
  ['unlisted', / is not among those that this workspace may use$/],
  ['no host', / is not the name or address of a host$/],
]

const body = (hostname: string, port: number) => ({
  name: 'one',
  proxyConfig: {
    hostname: 'one.example',
    backends: [
      { serviceTargets: [{ hostname: 'first.example' }] },
      { serviceTargets: [{ hostname, listener: { port } }] },
    ],
  },
})

/** Other names than this one are not asked for: a test waits for no name server. */
const addressesOf = async (name: string) => (name === 'localhost' ? await resolve(name) : [])

const network = (isLoopbackOnly: boolean) => ({ isLoopbackOnly, ports: () => [8443, 9090], addressesOf })
const started = new Map(
  [true, false].map((isOnly) => [isOnly, startAccounts({ ends: afterAll, network: network(isOnly) })]),
)

async function verdict(isOnly: boolean, allowed: readonly string[] | undefined, host: string, port: number) {
  const server = await started.get(isOnly)
  if (!server) throw new Error('no server')
  const path = '/services/workspaces/team/backends'
  if (allowed) expect((await server.put(path, { allowed: ['first.example', ...allowed] }, ADMIN)).status).toBe(200)
  else {
    server.database.exec('DELETE FROM allowed_backends')
    // What was read before is forgotten.
    await server.post('/services/workspaces', { name: randomUUID() }, ADMIN)
  }
  const { status, body: answer } = await server.post(`${TEAM}?dryRun=true`, body(host, port), basic('editor'))
  if (status === 200) return 'allowed'
  expect(answer.errors).toMatchObject([{ pointer: '/proxyConfig/backends/1/serviceTargets/0/hostname' }])
  const [word] = WORDS.find(([, words]) => words.test(answer.errors[0].message)) ?? [answer.errors[0].message]
  expect(status).toBe(word === 'no host' ? 400 : 403)
  return word
}

describe('a backend', () => {
  for (const [sentence, rows] of Object.entries(cases<Record<string, readonly Row[]>>('verdicts')))
    test.each(rows)(`${sentence}: %j: %s:%i`, async (allowed, host, port, expected) =>
      expect(await verdict(false, allowed, host, port)).toBe(expected),
    )

  each<[string, number, string]>('a server on loopback only takes %s:%i as %s', async (host, port, expected) =>
    expect(await verdict(true, undefined, host, port)).toBe(expected),
  )

  each<[string]>('the entry %j is refused', async (entry) => {
    const server = await started.get(true)
    const answer = await server?.put('/services/workspaces/team/backends', { allowed: ['*', entry] }, ADMIN)
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/allowed/1' }] } })
  })

  test('that a proxy had before is not asked about again, and the list does not bind an administrator', async () => {
    const server = await started.get(true)
    if (!server) throw new Error('no server')
    const path = '/services/workspaces/team/backends'
    await server.put(path, { allowed: [] }, ADMIN)
    expect((await server.get(path, basic('editor'))).body).toEqual({ allowed: [] })
    expect((await server.put(path, { allowed: ['*'] }, basic('editor'))).status).toBe(403)
    expect((await server.post(TEAM, body('second.example', 80), basic('editor'))).status).toBe(403)
    expect((await server.post(TEAM, body('second.example', 80), ADMIN)).status).toBe(202)
    expect((await server.put(`${TEAM}/one`, { ...body('second.example', 80), x: 1 }, basic('editor'))).status).toBe(202)
    expect((await server.put(`${TEAM}/one`, body('second.example', 81), basic('editor'))).status).toBe(403)
    expect((await server.post(TEAM, { ...body('169.254.169.254', 80), name: 'two' }, ADMIN)).status).toBe(403)
  })
})
