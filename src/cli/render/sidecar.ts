/** `sluice render --sidecar`. */
import { isIP } from 'node:net'
import { apiNames } from '../../kubernetes/api-groups.ts'
import { jsonAt } from '../../mesh/config.ts'
import { describeNotEnforced, notEnforcedWhole } from '../../mesh/not-enforced.ts'
import { type Destination, renderSidecar } from '../../mesh/sidecar/render.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { groupBy } from '../../text/group.ts'
import type { Args, Flags } from '../core/flags.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { readMeshConfig } from '../core/mesh-config.ts'
import { loadSettings } from '../core/project.ts'
import { isPort, readAddress, readNginxVersion, readUpstream } from './read-flags.ts'

/** The flags that only a sidecar has. */
export const SIDECAR_FLAGS = {
  sidecar: { summary: 'the sidecar of the service mesh' },
  filename: {
    short: 'f',
    value: 'FILE',
    needs: ['sidecar'],
    summary: 'configuration of the mesh; default: of a new one',
  },
  'container-port': {
    value: 'N',
    needs: ['sidecar'],
    summary: 'a port of other containers of the Pod; default: 80',
  },
  resolver: {
    value: 'ADDR',
    needs: ['sidecar'],
    summary: 'DNS server for other hosts than those of --upstream',
  },
  strict: {
    needs: ['sidecar'],
    summary: 'print nothing, with exit code 1, where the configuration asks for what the sidecar does not do',
  },
} as const satisfies Flags

/** Flags of `render` that a sidecar has, too. */
const SHARED = ['upstream', 'listen', 'nginx-version', 'config', 'color', 'verbose'] as const

/** Flags that only other subjects of `render` have. */
const OTHERS = [
  ...['gateway', 'dir', 'complete', 'composition', 'port', 'port-offset', 'tls-dir', 'socket-dir', 'format'],
  ...['world', 'namespace', 'closed-world', 'fabric-version'],
] as const

type SidecarArgs = Args<keyof typeof SIDECAR_FLAGS | (typeof SHARED)[number] | (typeof OTHERS)[number]>

/** Prints the configuration of a sidecar. Throws {@link InputError}. */
export async function renderSidecarCommand(io: Io, args: SidecarArgs): Promise<number> {
  const useless = OTHERS.find((flag) => args.has(flag))
  if (useless !== undefined) throw new InputError(`--${useless} means nothing with --sidecar`)
  const [surplus] = args.positionals
  if (surplus !== undefined)
    throw new InputError(`a sidecar needs no manifests; name the configuration of the mesh with -f: -f ${surplus}`)
  const settings = await loadSettings(io, args)
  const names = apiNames(settings.apiGroups)
  const file = args.value('filename')
  const { config, placeOf } =
    file === undefined ? { config: {}, placeOf: undefined } : readMeshConfig('-f', file, { names, io })
  const left = notEnforcedWhole(config, names)
  for (const one of left) {
    // What the file does not say is as in a new mesh.
    const place = placeOf && jsonAt(config, one.pointer) !== undefined ? placeOf(one.pointer) : 'a new mesh'
    io.stderr.write(`warning: ${place}: ${escapeUnsafe(describeNotEnforced(one))}\n`)
  }
  if (args.has('strict') && left.length > 0) {
    io.stderr.write('sluice: nothing is printed: the sidecar would not do all that the configuration asks for\n')
    io.onWork?.()
    return EXIT.findings
  }
  const [firstPort = 80, ...otherPorts] = args.values('container-port').map(readContainerPort)
  const text = renderSidecar(config, names, {
    nginxVersion: readNginxVersion(args.value('nginx-version')) ?? settings.platform.nginxVersion,
    address: readAddress(args.value('listen')),
    containerPorts: [firstPort, ...otherPorts],
    destinations: readDestinations(args.values('upstream')),
    resolver: readResolver(args.value('resolver')),
  })
  io.stdout.write(text)
  io.onWork?.()
  return EXIT.clean
}

function readContainerPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (isPort(port)) return port
  throw new InputError(`--container-port must be a port from 1 to 65535; got "${text}"`)
}

function readResolver(text: string | undefined): string | undefined {
  if (text === undefined || isIP(text) === 4) return text
  if (isIP(text) === 6) return `[${text}]`
  throw new InputError(`--resolver must be an address such as 10.96.0.10; got "${text}"`)
}

/** A Service that is named several times has several Pods. */
const readDestinations = (texts: readonly string[]): readonly Destination[] =>
  [...groupBy(texts.map(readUpstream), ([name]) => name)].map(([text, pairs]) => {
    const [, namespace, name = text, port] = /^(?:([^/]+)\/)?([^:]+)(?::(\d+))?$/.exec(text) ?? []
    const addresses = pairs.map(([, address]) => address)
    return { namespace, name, port: port === undefined ? undefined : Number(port), addresses }
  })
