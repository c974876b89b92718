/** The nginx of `sluice serve api-management`: its flags, and the publisher that puts stored proxies into force with it. */
import { resolve } from 'node:path'
import type { Site } from '../../api-management/render/published.ts'
import { readSmallText } from '../../disk/read-regular-file.ts'
import type { Log } from '../../http/log.ts'
import { DriverFailure } from '../../proxy/failure.ts'
import { openPublisher } from '../../publication/publisher.ts'
import { listenAddress } from '../../queries/render-values.ts'
import type { OwnGateway } from '../../servers/api-management/publication.ts'
import { describeFileError } from '../../text/system-error.ts'
import { InputError, type Io } from '../core/io.ts'
import { type ApiManagementArgs, readPort } from './flags.ts'
import { endsNginx, logThatNginxGoesOn, readNginxProgram } from './nginx-program.ts'

/** The headers in which a program in front of nginx names consumers and clients. */
const HOP_HEADERS = { consumerHeader: 'x-consumer-id', addressHeader: 'x-real-ip' } as const

type NginxOptions = {
  readonly log: Log
  /** Where the API listens. */
  readonly host: string
  /** Called when nginx has ended by itself, and when it runs again. */
  readonly onEnded: () => void
  readonly onRestarted: () => void
}

/**
 * Starts to drive nginx; undefined without `--nginx-dir`. Stopped, it leaves nginx to the next server, but for
 * `--stop-nginx`. Throws {@link InputError}.
 */
export async function openManagementNginx(
  io: Io,
  args: ApiManagementArgs,
  { log, host, onEnded, onRestarted }: NginxOptions,
): Promise<OwnGateway | undefined> {
  const folder = args.value('nginx-dir')
  if (folder === undefined) return undefined
  const site = readSite(io, args, host)
  const nginx = await readNginxProgram(args)
  try {
    const path = resolve(io.cwd, folder)
    const publisher = await openPublisher({ folder: path, nginx, site, onEnded, onOutcomes: onRestarted })
    let hasPublished = false
    return {
      ...publisher,
      publish(published) {
        hasPublished = true
        return publisher.publish(published)
      },
      async stop(grace) {
        // The nginx of a server before this one is not to end because this one could not start.
        if (hasPublished && endsNginx(args)) return await publisher.stop(grace)
        await publisher.leave()
        logThatNginxGoesOn(log, publisher.pid())
      },
    }
  } catch (error) {
    if (error instanceof DriverFailure) throw new InputError(`--nginx-dir ${folder}: ${error.message}`)
    throw error
  }
}

function readSite(io: Io, args: ApiManagementArgs, host: string): Omit<Site, 'nginxVersion'> {
  const named = args.value('nginx-host') ?? host
  const address = listenAddress(named)
  if (address === undefined) throw new InputError(`--nginx-host must be an address to listen on; got "${named}"`)
  const port = readNginxPort(args, 'nginx-port') ?? NGINX_PORT
  const grpcPort = readNginxPort(args, 'nginx-grpc-port')
  if (grpcPort === port) throw new InputError('--nginx-grpc-port must be another port than --nginx-port')
  const socket = args.value('nginx-hop')
  const tls = readTls(io, args)
  return {
    address,
    port,
    ...(grpcPort === undefined ? {} : { grpcPort }),
    ...(tls ? { tls } : {}),
    ...(socket === undefined ? {} : { hop: { socket: resolve(io.cwd, socket), ...HOP_HEADERS } }),
  }
}

/** The ports on which nginx will listen. Throws {@link InputError}. */
export const nginxPorts = (args: ApiManagementArgs): number[] =>
  args.value('nginx-dir') === undefined
    ? []
    : [readNginxPort(args, 'nginx-port') ?? NGINX_PORT, readNginxPort(args, 'nginx-grpc-port')].filter(
        (port) => port !== undefined,
      )

const NGINX_PORT = 8080

function readNginxPort(args: ApiManagementArgs, flag: 'nginx-port' | 'nginx-grpc-port'): number | undefined {
  if (!args.has(flag)) return undefined
  const port = readPort(args, flag, 0)
  if (port === 0) throw new InputError(`--${flag} must be a port of 1 or more: nginx keeps it when it is reloaded`)
  return port
}

/** Files that are not there would be nginx's words about every proxy. */
function readTls(io: Io, args: ApiManagementArgs): Site['tls'] {
  const file = (flag: 'nginx-cert' | 'nginx-key' | 'nginx-client-ca') => {
    const named = args.value(flag)
    if (named === undefined) return undefined
    const path = resolve(io.cwd, named)
    try {
      readSmallText(path)
    } catch (error) {
      throw new InputError(`--${flag} ${named}: ${describeFileError(error)}`)
    }
    return path
  }
  const [certificate, key, clientCa] = [file('nginx-cert'), file('nginx-key'), file('nginx-client-ca')]
  if (certificate === undefined && key === undefined && clientCa === undefined) return undefined
  if (certificate === undefined || key === undefined)
    throw new InputError('TLS of nginx needs both --nginx-cert and --nginx-key')
  return { certificate, key, ...(clientCa === undefined ? {} : { clientCa }) }
}
