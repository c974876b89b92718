/** The management API as a running server. */
import { close, createPlainServer, createTlsServer, listen, type TlsMaterial } from '../../http/listen.ts'
import { createManagementApp, type ManagementOptions } from './app.ts'

export type ServeManagementOptions = Omit<ManagementOptions, 'isClosing'> & {
  /** Undefined listens on all addresses. */
  readonly host: string | undefined
  /** 0: a free one. */
  readonly port: number
  /** Undefined: plain HTTP. */
  readonly material: TlsMaterial | undefined
}

/** The server while it runs. */
export type ServingManagement = {
  readonly port: number
  /** Serves new connections with another certificate. Only for a server with TLS. */
  useCertificate(material: TlsMaterial): void
  /** Puts what is stored into force once more: what puts it into force has started anew. */
  publishAll(): void
  /** Accepts no more connections, waits at most `grace` milliseconds for the requests in progress, then for the gateway. */
  stop(grace: number): Promise<void>
}

/** Milliseconds in which a busy client sends its next request on a connection. */
const IDLE = 1_000

/** Starts the server, and puts what is stored into force. Rejects where the port cannot be used. */
export async function serveManagement(options: ServeManagementOptions): Promise<ServingManagement> {
  const { host, material } = options
  let isClosing = false
  const app = createManagementApp({ ...options, isClosing: () => isClosing })
  const secure = material && createTlsServer(app.handler, material)
  const server = secure ?? createPlainServer(app.handler)
  const port = await listen(server, { host, port: options.port })
  app.publishAll()
  return {
    port,
    publishAll: app.publishAll,
    useCertificate: (next) => secure?.setSecureContext(next),
    async stop(grace) {
      isClosing = true
      const closed = close(server, { idle: Math.min(IDLE, grace), grace })
      await app.stop()
      await closed
    },
  }
}
