/**
 * Transcripts of requests and responses (test/support/transcripts.ts). Beside texts an archive has requests:
 *
 *     -- PUT $team/coffee = COFFEE; rate => x {if-match: $etag1} --    the body is a text with edits, then the text below
 *     -- > 202 --                                                    headers of the response that matter, and its body
 *     -- GET $team | items.*.name --                                 of the response only this member
 *     -- wait 60 --                                                  so many seconds pass
 *
 * `$etag1` is the ETag of the first response that has one, `$location` and `$token` are those of the last.
 */
import type { Response as SentBack } from 'supertest'
import { fileOf, isTemplate, type Known, memberOf, type Play } from '../support/transcripts.ts'
import type { Part } from '../support/txtar.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options'

export type Response = Pick<SentBack, 'status' | 'headers' | 'text' | 'body'>

/** A server that a test starts. */
export type Started = {
  readonly send: (
    method: Method,
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
  ) => Promise<Response>
  /** Prefixes of paths by name. */
  readonly paths: Readonly<Record<string, string>>
  readonly wait?: (seconds: number) => void
}

const METHODS = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
  HEAD: 'head',
  OPTIONS: 'options',
} as const
const isMethod = (word: string): word is keyof typeof METHODS => word in METHODS

const HEADERS = [
  'location',
  'allow',
  'accept-patch',
  'retry-after',
  'www-authenticate',
  'set-cookie',
  'idempotency-replayed',
  'x-trace',
  'x-my-id',
]

/** JSON with a line for each member or item. */
function lines(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `${JSON.stringify(value)}\n`
  if (Array.isArray(value)) return value.map((item) => `${JSON.stringify(item)}\n`).join('')
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${JSON.stringify(member)}\n`)
    .join('')
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

function shown({ status, headers, text, body }: Response, member: string | undefined): Part {
  const named = HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}\n`]))
  const isJson = /json/.test(headers['content-type'] ?? '')
  const whole = isJson ? lines(member === undefined ? body : memberOf(body, member)) : (text ?? '')
  const end = whole === '' || whole.endsWith('\n') ? '' : '\n'
  return { name: `> ${status}`, text: (named.join('') + whole + end).replace(UUID, 'UUID') }
}

type Request = {
  readonly verb: string
  readonly path: string
  /** The text that the body is made of. */
  readonly words: string | undefined
  readonly headers: string
  readonly member: string | undefined
}

const REQUEST =
  /^(?<verb>\S+) (?<path>\S+)(?: = (?<words>.*?))?(?: \{(?<headers>[a-z-]+: [^{}]*)\})?(?: \| (?<member>\S+))?$/

/** What a part asks for. */
function readRequest({ name }: Part): Request {
  const [first = ''] = name.split(' ')
  const { verb = first, path = '', words, headers = '', member } = REQUEST.exec(name)?.groups ?? {}
  return { verb, path, words, headers, member }
}

/** Variables of the paths and headers of a test. */
function createVariables(paths: Readonly<Record<string, string>>) {
  const values = new Map(Object.entries(paths))
  const tags: string[] = []
  return {
    fill: (text: string) => text.replace(/\$(\w+)/g, (found, name: string) => values.get(name) ?? found),
    remember({ headers, body }: Response): void {
      const found = { location: headers.location, token: body?.nextPageToken }
      if (headers.etag) values.set(`etag${tags.push(headers.etag)}`, headers.etag)
      for (const [name, value] of Object.entries(found)) if (value) values.set(name, value)
    },
  }
}

/** The body of a request: a text with edits, then the text below it. */
const bodyOf = (part: Part, words: string | undefined, known: Known): string =>
  fileOf({ name: words === undefined ? 'body' : `body = ${words}`, text: part.text }, known)[1]

const headersOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(text === '' ? [] : text.split(', ').map((one) => one.split(': ')))

/** Sends what an archive says to a new server for each test. */
export const playRequests =
  (start: () => Promise<Started> | Started): Play =>
  async (shared, own, known) => {
    const { send, paths, wait } = await start()
    const { fill, remember } = createVariables(paths)
    async function play(part: Part): Promise<readonly Part[]> {
      const { verb, path, words, headers, member } = readRequest(part)
      if (verb === 'wait') wait?.(Number(path))
      if (!isMethod(verb)) {
        if (verb === '>') return []
        if (isTemplate(verb)) fileOf(part, known)
        return [part]
      }
      const response = await send(METHODS[verb], fill(path), bodyOf(part, words, known), headersOf(fill(headers)))
      remember(response)
      return [part, shown(response, member)]
    }
    for (const part of shared) await play(part)
    const outcome: Part[] = []
    for (const part of own) outcome.push(...(await play(part)))
    return outcome
  }
