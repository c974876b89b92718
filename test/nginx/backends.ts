/** Backends behind a gateway, and clients before it: HTTP and gRPC. */
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import {
  type ChannelCredentials,
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import { ask } from './requests.ts'

/** A backend and what it has received so far. */
export type Backend = {
  /** `127.0.0.1:PORT` */
  readonly address: string
  readonly heard: { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  stop(): Promise<void>
}

/** An HTTP backend that responds with 200 to everything. */
export function startHttpBackend(status = 200): Promise<Backend> {
  const heard: Backend['heard'] = []
  const server = createServer((incoming, response) => {
    heard.push({ path: incoming.url ?? '', headers: incoming.headers })
    incoming.resume().once('end', () => response.writeHead(status).end('ok'))
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      resolve({
        address: `127.0.0.1:${port}`,
        heard,
        stop: () => new Promise((done) => server.close(() => done()).closeAllConnections()),
      })
    })
  })
}

const bytes = (value: Buffer): Buffer => value

/** The method that the gRPC backend has. */
export const GRPC_METHOD = '/beans.orders.v1.Orders/Place'

/** A gRPC backend with one unary method. */
export function startGrpcBackend(): Promise<Backend> {
  const heard: Backend['heard'] = []
  const server = new Server()
  const definition = {
    path: GRPC_METHOD,
    requestStream: false,
    responseStream: false,
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  } as const
  server.addService(
    { place: definition },
    {
      place: (call: { metadata: Metadata; request: Buffer }, answer: (error: null, value: Buffer) => void) => {
        heard.push({ path: GRPC_METHOD, headers: call.metadata.toHttp2Headers() as IncomingHttpHeaders })
        answer(null, call.request)
      },
    },
  )
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(error)
      else resolve({ address: `127.0.0.1:${port}`, heard, stop: async () => server.forceShutdown() })
    })
  })
}

/** What a client sees: the status, or 0 where the connection ends without a response. */
export type Seen = { readonly code: number; readonly at: number }

/** One GET with a connection of its own. */
export const get = async (port: number, path: string, headers: OutgoingHttpHeaders = {}): Promise<Seen> => ({
  code: await send(port, path, { headers }),
  at: performance.now(),
})

/** The status of any request with a connection of its own; 0 where it ends without a response. */
export const send = (port: number, path: string, more: Omit<Parameters<typeof ask>[0], 'port' | 'path'> = {}) =>
  ask({ port, path, ...more }).then(
    ({ code }) => code,
    () => 0,
  )

/** A gRPC client of a port. */
export type GrpcClient = {
  /** Calls the method; the code is that of HTTP: 200 for an answer, else what the proxy said, or 0. */
  call(headers?: Readonly<Record<string, string>>): Promise<Seen & { readonly grpc: number }>
  close(): void
}

/** Makes a client for plain or TLS connections; any certificate will do. */
export function createGrpcClient(port: number, channel: ChannelCredentials = credentials.createInsecure()): GrpcClient {
  const client = new Client(`127.0.0.1:${port}`, channel, {
    'grpc.default_authority': 'orders.beans.example',
    'grpc.ssl_target_name_override': 'orders.beans.example',
    'grpc.enable_retries': 0,
  })
  return {
    call: (headers = {}) =>
      new Promise((resolve) => {
        const metadata = new Metadata()
        for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
        client.makeUnaryRequest(GRPC_METHOD, bytes, bytes, Buffer.from('cup'), metadata, (error) =>
          resolve({ code: httpCode(error), grpc: error?.code ?? status.OK, at: performance.now() }),
        )
      }),
    close: () => client.close(),
  }
}

/** grpc-js names the HTTP status of a proxy's answer in the details. */
function httpCode(error: ServiceError | null): number {
  if (!error) return 200
  return Number(/HTTP status code (\d+)|status: (\d+)/i.exec(error.details)?.[1] ?? 0)
}
