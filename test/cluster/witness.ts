/** A go-between that hands on everything between clients and the API server, and remembers what became of watches. */
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:https'
import { join } from 'node:path'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import type { ControlPlane } from './control-plane.ts'

/** A go-between; `url` and `authority` are the API server's for who comes this way. */
export type Witness = {
  readonly url: string
  readonly authority: string
  /** What the API server has answered so far to requests to go on from somewhere: a status, or the code of an ERROR. */
  readonly watches: readonly { readonly path: string; readonly code: number }[]
  stop(): Promise<void>
}

const HOUR = 3_600_000
/** An event of a watch that ends it. Source: Kubernetes API Concepts, "410 Gone responses". */
const ERROR_EVENT = /^\{"type":"ERROR".*"code":(\d+)/

/** Starts a go-between on a free port. */
export async function callWitness({ url, folder }: ControlPlane): Promise<Witness> {
  const validity = { from: Date.now() - HOUR, until: Date.now() + HOUR }
  const authority = await createAuthority('witness', validity)
  const watches: { path: string; code: number }[] = []
  const ca = readFileSync(join(folder, 'apiserver.crt'))
  const server = createServer(await issueServing(authority, ['127.0.0.1'], validity), (asked, answer) => {
    const { pathname, searchParams } = new URL(asked.url ?? '/', url)
    const isWatch = searchParams.get('watch') === 'true'
    const onward = request(`${url}${asked.url}`, { method: asked.method, headers: asked.headers, ca }, (answered) => {
      const { statusCode = 0, headers } = answered
      if (isWatch) watches.push({ path: pathname, code: statusCode })
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
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
