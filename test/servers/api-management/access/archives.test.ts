/** Users, roles and sessions by transcripts. No password or token is ever in the log. */
import { expect } from 'vitest'
import { hashOfSecret } from '../../../../src/servers/api-management/access/machine-tokens.ts'
import { describeTranscripts } from '../../../support/transcripts.ts'
import { playRequests, type Response } from '../../transcripts.ts'
import { TEAM } from '../served.ts'
import { basic, PASSWORD, startAccounts } from './accounts.ts'

const TOKEN = /(?<=["=])(?:(sluice_)[0-9a-f]{8}_)?[\w-]{43}(?=[";])/g

/** A response in which a token is only a word. */
function masked({ status, headers, text, body }: Response, cookie: string): Response {
  const mask = (found: string) => found.replace(TOKEN, '$1TOKEN')
  const set = cookie === '' ? {} : { 'set-cookie': mask(cookie) }
  return { status, headers: { ...headers, ...set }, text, body: JSON.parse(mask(JSON.stringify(body ?? null))) }
}

const NETWORK = {
  ...{ isLoopbackOnly: true, ports: () => [] },
  addressesOf: async (name: string) => (name === 'inside.example' ? ['169.254.169.254'] : []),
}

describeTranscripts(
  new URL('../../../fixtures/http/access/', import.meta.url),
  playRequests(async () => {
    const { send, lines, clock, sessions, refusals } = await startAccounts({ network: NETWORK })
    const known = new Map<string, string>()
    let signedIn = 0
    let made = 0

    /** Headers with `as` and `session` written out. */
    function written({ as, session, ...rest }: Readonly<Record<string, string>>): Record<string, string> {
      const [user = '', password] = as?.split(/:(.*)/) ?? []
      const own = { cookie: known.get(`cookie${session}`) ?? '', 'x-csrf-token': known.get(`csrf${session}`) ?? '' }
      const filled = Object.entries(rest).map(([name, value]) => [
        name,
        value.replace(/\$(\w+)/g, (found, variable: string) => known.get(variable) ?? found),
      ])
      return { ...(as ? basic(user, password) : {}), ...(session ? own : {}), ...Object.fromEntries(filled) }
    }

    function remember(cookie: string, csrf: string): void {
      signedIn += 1
      const token = cookie.split('=')[1] ?? ''
      const parts = { cookie, token, cut: token.slice(0, -1), csrf }
      for (const [name, value] of Object.entries(parts)) known.set(`${name}${signedIn}`, value)
    }

    function rememberSecret(body: unknown): void {
      const { secret } = Object(body)
      if (typeof secret !== 'string') return
      made += 1
      known.set(`secret${made}`, secret)
      known.set(`stolen${made}`, secret.slice(0, 'sluice_12345678_'.length) + hashOfSecret(secret))
    }

    /** What was logged last. */
    function logged() {
      const log = lines.slice(-2).map((line) => {
        const { user, address, method, path, status } = Object(line)
        const from = address === undefined ? {} : { address: String(address).replace('::ffff:', '') }
        return { user, method, path, status, ...from }
      })
      const body = { log, sessions: sessions.count() }
      return { status: 200, headers: { 'content-type': 'application/json' }, text: '', body }
    }

    return {
      paths: { workspaces: '/services/workspaces', team: TEAM },
      wait: (seconds) => {
        clock.now += seconds * 1000
      },
      async send(method, path, body, headers) {
        if (path === '/log') return logged()
        if (path.startsWith('/audit')) await refusals.flush()
        if (method === 'options') throw new Error('no test sends OPTIONS')
        const response = await send(method, path, { body: body === '' ? undefined : body, headers: written(headers) })
        const cookie = String(response.headers['set-cookie'] ?? '')
        if (response.body?.csrf && cookie !== '') remember(cookie.split(';')[0] ?? '', String(response.body.csrf))
        rememberSecret(response.body)
        const secrets = [
          PASSWORD,
          ...[...known].flatMap(([name, value]) => (/^(?:token|csrf|secret)/.test(name) ? [value] : [])),
        ]
        for (const secret of secrets) expect(JSON.stringify(lines)).not.toContain(secret)
        return masked(response, cookie)
      },
    }
  }),
)
