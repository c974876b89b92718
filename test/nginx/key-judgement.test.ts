import { connect as connectHttp2 } from 'node:http2'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import { lint } from '../../src/lint/lint.ts'
import { http2Of } from '../../src/nginx/version.ts'
import { casesOf } from '../support/cases.ts'
import { send } from './backends.ts'
import { policyOf } from './policy-pairs.ts'
import type { NginxProgram } from './real-nginx.ts'
import { statusByTls } from './requests.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const { cases } = casesOf(import.meta.url)

/** Variables of modules that packages lack, and the rule of the one finding that a key of each alone has. */
const OF_MODULES = cases<[variable: string, rule: string][]>('OF_MODULES')

/** The rules about the key of a policy that limits by it. */
const rulesFor = (key: string): readonly string[] => {
  const text = JSON.stringify(policyOf('coffee', [{ key, rate: '1r/s', zoneSize: '1m' }]))
  const { findings } = lint([{ file: 'policy.json', text }]).report
  return findings.map(({ rule }) => rule).filter((rule) => rule.startsWith('gateway/key-'))
}

const basic = (user: string) => ({ headers: { authorization: `Basic ${Buffer.from(`${user}:x`).toString('base64')}` } })

const limited = (key: string, rate = '1r/m') => `limit_req_zone ${key} zone=z:1m rate=${rate};\nlimit_req_status 429;`

const plainServer = (port: number, key: string): string =>
  `${limited(key)} server { listen 127.0.0.1:${port}; location / { limit_req zone=z; try_files /none =204; } }`

describeNginx('a key', (program) => {
  const bench = benchFor(program)
  const startPlain = (key: string) => bench.start((port) => plainServer(port, key))

  test('of $remote_user does not count a request without a user, and knows any user before the password is checked', async () => {
    const passwords = bench.write('passwords', 'nobody:{PLAIN}never\n')
    const { port } = await bench.start((listen) =>
      plainServer(listen, '$remote_user').replace(
        'limit_req zone',
        `auth_basic a; auth_basic_user_file ${passwords}; limit_req zone`,
      ),
    )
    const statuses = []
    for (const more of [{}, {}, {}, basic('a'), basic('a'), basic('b')]) statuses.push(await send(port, '/', more))
    expect(statuses).toEqual([401, 401, 401, 401, 429, 401])
    expect(rulesFor('$remote_user')).toEqual(['gateway/key-may-be-empty'])
    expect(rulesFor('$remote_user$binary_remote_addr')).toEqual([])
  })

  test('of $http_x-api-key has one bucket for all who do not send the header "x"', async () => {
    const { port } = await startPlain('$http_x-api-key')
    const statuses = []
    for (const headers of [{ 'x-api-key': '1' }, { 'x-api-key': '2' }, { x: '3' }, { x: '3' }])
      statuses.push(await send(port, '/', { headers }))
    expect(statuses).toEqual([204, 429, 204, 429])
    expect(rulesFor('$http_x-api-key')).toEqual(['gateway/key-name-cut'])
    const { port: whole } = await startPlain('$http_x_api_key')
    expect([
      await send(whole, '/', { headers: { 'x-api-key': '1' } }),
      await send(whole, '/', { headers: { 'x-api-key': '2' } }),
    ]).toEqual([204, 204])
  })

  test('of $time_local is one bucket for all clients until the second ends', async () => {
    const { port } = await startPlain('$time_local')
    const pair = async () => [await send(port, '/'), await send(port, '/', { localAddress: '127.0.0.2' })].join()
    const pairs: string[] = []
    for (let attempt = 0; attempt < 5 && !pairs.includes('204,429'); attempt += 1) {
      pairs.push(await pair())
      await pause(1050)
    }
    expect(pairs).toContain('204,429')
    expect(await send(port, '/')).toBe(204)
    expect(rulesFor('$time_local')).toEqual(['gateway/key-constant'])
  })

  test('of $http2 counts all who use HTTP/2 together, and nobody else', async () => {
    const { port } = await startTls(program, '$http2')
    expect([await statusByTls(port), await statusByTls(port), await statusByTls(port)]).toEqual([204, 204, 204])
    expect([await askHttp2(port), await askHttp2(port)]).toEqual([204, 429])
    expect(rulesFor('$http2')).toEqual(['gateway/key-constant'])
  })

  test('of $slice_range has a bucket for each slice that the client asks for', async () => {
    expect(rulesFor('$slice_range')).toContain('gateway/key-client-controlled')
    if (!/--with-http_slice_module/.test(program.built)) return
    const { port } = await bench.start((listen) =>
      plainServer(listen, '$slice_range').replace('limit_req zone', 'slice 1k; limit_req zone'),
    )
    const statuses = []
    for (const range of ['bytes=0-', 'bytes=9-', 'bytes=2048-', 'bytes=4096-'])
      statuses.push(await send(port, '/', { headers: { range } }))
    expect(statuses).toEqual([204, 429, 204, 204])
  })

  test('of $ssl_client_s_dn does not count a client without a certificate', async () => {
    const { port, client } = await startTls(program, '$ssl_client_s_dn')
    expect([await statusByTls(port), await statusByTls(port)]).toEqual([204, 204])
    expect([await statusByTls(port, client), await statusByTls(port, client)]).toEqual([204, 429])
    expect(rulesFor('$ssl_client_s_dn')).toEqual(['gateway/key-may-be-empty'])
  })

  test('of a module is refused by an nginx without it, and one finding says so', () => {
    const isBuilt = (key: string) => key === '$slice_range' && /--with-http_slice_module/.test(program.built)
    const verdicts = bench.checkAll(OF_MODULES.map(([key]) => limited(key)))
    expect(OF_MODULES.map(([key], index) => [key, verdicts[index]?.accepted, rulesFor(key)])).toEqual(
      OF_MODULES.map(([key, rule]) => [key, isBuilt(key), [rule]]),
    )
  })

  async function startTls({ version }: NginxProgram, key: string) {
    const validity = { from: Date.now() - 3_600_000, until: Date.now() + 3_600_000 }
    const authority = await createAuthority('test', validity)
    const { cert, key: secret } = await issueServing(authority, ['localhost'], validity)
    const files = [bench.write('server.crt', cert), bench.write('server.key', secret)]
    const client = await issueServing(authority, ['client'], validity)
    const [parameter, directive] = http2Of(version) === 'listen' ? ['ssl http2', ''] : ['ssl', 'http2 on;']
    const tls = `listen 127.0.0.1:PORT ${parameter}; ${directive} ssl_certificate ${files[0]}; ssl_certificate_key ${files[1]}; ssl_verify_client optional_no_ca;`
    const { port } = await bench.start((listen) =>
      plainServer(listen, key).replace(`listen 127.0.0.1:${listen};`, () => tls.replace('PORT', String(listen))),
    )
    return { port, client: { cert: client.cert, key: client.key } }
  }
})

const askHttp2 = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false }).on('error', reject)
    const stream = session.request({ ':path': '/' })
    stream.on('response', (headers) => resolve(Number(headers[':status'])))
    stream.on('close', () => session.close()).resume()
  })
