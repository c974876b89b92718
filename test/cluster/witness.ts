/** A go-between that hands on everything between clients and the API server, and remembers what was answered. */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer, request } from 'node:https'
import { join } from 'node:path'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import type { ControlPlane } from './control-plane.ts'

/** A go-between; `url` and `authority` are the API server's for who comes this way. */
export type Witness = {
  readonly url: string
  readonly authority: string
  /** What the API server has answered so far to watches: a status, or the code of an ERROR. */
  readonly watches: readonly Answered[]
  /** And to lists, page by page. */
  readonly lists: readonly Answered[]
  /** And to writes: the method is part of the path. */
  readonly writes: readonly Answered[]
  stop(): Promise<void>
}

type Answered = { readonly path: string; readonly code: number }

/** What an API server answers that has too much to do, or has forgotten what it is asked for. */
function refuse(answer: ServerResponse, code: number): void {
  answer.writeHead(code, { 'content-type': 'application/json', 'retry-after': '1' })
  answer.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'injected', code }))
}

const HOUR = 3_600_000
/** An event of a watch that ends it. Source: Kubernetes API Concepts, "410 Gone responses". */
const ERROR_EVENT = /^\{"type":"ERROR".*"code":(\d+)/

/**
 * Starts a go-between on a free port. What is to happen before a request is handed on may take its time; where it ends in
 * a status, that is the answer, and nothing is handed on.
 */
export async function callWitness(
  { url, folder }: ControlPlane,
  before: (asked: URL, method: string) => Promise<number | undefined> = async () => undefined,
): Promise<Witness> {
  const validity = { from: Date.now() - HOUR, until: Date.now() + HOUR }
  const authority = await createAuthority('witness', validity)
  const watches: Answered[] = []
  const lists: Answered[] = []
  const writes: Answered[] = []
  const ca = readFileSync(join(folder, 'apiserver.crt'))
  const server = createServer(await issueServing(authority, ['127.0.0.1'], validity), async (asked, answer) => {
    const target = new URL(asked.url ?? '/', url)
    const { pathname, searchParams } = target
    const isWatch = searchParams.get('watch') === 'true'
    const { method = 'GET' } = asked
    const refusal = await before(target, method)
    if (refusal !== undefined) return refuse(answer, refusal)
    const onward = request(`${url}${asked.url}`, { method, headers: asked.headers, ca }, (answered) => {
      const { statusCode = 0, headers } = answered
      const answers = isWatch ? watches : lists
      if (method === 'GET') answers.push({ path: pathname, code: statusCode })
      else writes.push({ path: `${method} ${pathname}`, code: statusCode })
      answered.on('data', (chunk: Buffer) => {
        const code = isWatch ? ERROR_EVENT.exec(chunk.toString())?.[1] : undefined
        if (code !== undefined) watches.push({ path: pathname, code: Number(code) })
      })
      answer.writeHead(statusCode, headers)
      answer.flushHeaders()
      answered.on('error', () => answer.destroy()).pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `https://127.0.0.1:${port}`,
    authority: authority.cert,
    watches,
    lists,
    writes,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
