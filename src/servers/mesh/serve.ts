/** The API of the mesh as a running server. */
import { close, createAggregatedServer, listen, type TlsMaterial } from '../../http/listen.ts'
import { createMeshApp, type MeshOptions } from './app.ts'

export type ServeMeshOptions = Omit<MeshOptions, 'isClosing'> & {
  /** Undefined listens on all addresses. */
  readonly host: string | undefined
  /** 0: a free one. */
  readonly port: number
  readonly material: TlsMaterial
}

/** The server while it runs. */
export type ServingMesh = {
  readonly port: number
  /** Serves new connections with another certificate. */
  useCertificate(material: TlsMaterial): void
  /** Lets clients be verified by the authorities (PEM) of the aggregator; undefined: by none. */
  trust(authorities: string | undefined): void
  /** Accepts no more connections, and waits at most `grace` milliseconds for the requests in progress. */
  stop(grace: number): Promise<void>
}

/** Milliseconds in which a busy client sends its next request on a connection. */
const IDLE = 1_000

/** Starts the server. Rejects where the port cannot be used. */
export async function serveMesh(options: ServeMeshOptions): Promise<ServingMesh> {
  let isClosing = false
  let { material } = options
  let authorities: string | undefined
  const app = createMeshApp({ ...options, isClosing: () => isClosing })
  const { server, use } = createAggregatedServer(app, material)
  const port = await listen(server, options)
  return {
    port,
    useCertificate(next) {
      material = next
      use(material, authorities)
    },
    trust(next) {
      authorities = next
      use(material, authorities)
    },
    async stop(grace) {
      isClosing = true
      await close(server, { idle: Math.min(IDLE, grace), grace })
    },
  }
}
