/** `sluice manifests`. */

import { isIP } from 'node:net'
import { admissionInstallation } from '../../installation/admission.ts'
import { ADMIN_SECRET, API_MANAGEMENT_PORTS, apiManagementInstallation } from '../../installation/api-management.ts'
import { controllerInstallation } from '../../installation/controller.ts'
import { meshInstallation, meshNames } from '../../installation/mesh.ts'
import { type Choices, COMPONENTS, type ComponentName, type KubeObject, NAMES } from '../../installation/object.ts'
import { nearest } from '../../text/nearest.ts'
import { writeDocuments } from '../../yaml/documents.ts'
import { type Command, command, refuseForeign } from '../core/command.ts'
import type { Args } from '../core/flags.ts'
import { readNamespace } from '../core/inputs.ts'
import { EXIT, InputError } from '../core/io.ts'
import { loadSettings } from '../core/project.ts'
import { VERSION } from '../version/version.ts'

const OVERLAYS = Object.keys(COMPONENTS)

const widest = Math.max(...OVERLAYS.map((name) => name.length))

/** `sluice manifests`. */
export const manifestsCommand: Command = command({
  name: 'manifests',
  summary: 'print manifests of the webhook, controller or an API',
  usage: 'admission|controller|api-management|mesh [flags]',
  details: `Without a name those of the webhook. Its overlays change the base manifests, and
can be combined:
${Object.entries(COMPONENTS)
  .map(([name, does]) => `  ${name.padEnd(widest)}  ${does}`)
  .join('\n')}

The management API keeps its state on a volume, and waits for a Secret with the
first password of its user admin:
  kubectl create secret generic ${ADMIN_SECRET.name} \\
    -n ${NAMES.namespace} --from-literal ${ADMIN_SECRET.key}=…

The API of the service mesh (beta) is registered at the aggregation layer of the
cluster. Roles for its users are among its manifests.`,
  flags: {
    overlay: { value: 'NAME', summary: 'apply an overlay; may be repeated' },
    namespace: {
      short: 'n',
      value: 'NS',
      summary: `the namespace to install into; default: ${NAMES.namespace}, for mesh that of the mesh`,
    },
    config: {
      value: 'FILE',
      summary: 'settings with the apiGroups; default: sluice.config.yaml here or in a parent folder',
    },
    'api-server': { value: 'CIDR', summary: 'accept reviews only from there; may be repeated' },
    'nginx-port': {
      value: 'N',
      summary:
        'not admission: also run nginx, for traffic on this port; controller: may be repeated; the image needs nginx',
    },
    mesh: { summary: 'admission: also add the sidecar of the service mesh to new Pods' },
    'tls-secret': { value: 'NAME', summary: 'api-management: the Secret with its certificate; default: it makes one' },
    image: { value: 'IMAGE', summary: `the container image; default: sluice:${VERSION}` },
  },
  examples: [
    { line: 'sluice manifests | kubectl apply --server-side -f -', does: 'install' },
    { line: 'sluice manifests --overlay cert-manager --overlay fail-closed', does: 'with two overlays' },
    { line: 'sluice manifests --mesh', does: 'with the webhook that adds the sidecar of the service mesh' },
    { line: 'sluice manifests --image example.org/sluice:1', does: 'your own container image' },
    { line: 'sluice manifests controller | kubectl apply --server-side -f -', does: 'the controller, for statuses' },
    { line: 'sluice manifests api-management --nginx-port 80', does: 'the management API, with its nginx' },
    { line: 'sluice manifests mesh | kubectl apply --server-side -f -', does: 'the API of the service mesh' },
  ],
  run: async (io, args) => {
    const surface = readSurface(args)
    const settings = await loadSettings(io, args)
    const { apiGroups } = settings
    const namespace = surface === 'mesh' ? meshNames({ apiGroups }).namespace : NAMES.namespace
    const objects = SURFACES[surface](args, {
      apiGroups,
      namespace: readNamespace(args.value('namespace')) ?? namespace,
      image: args.value('image') ?? `sluice:${VERSION}`,
    })
    io.stdout.write(writeDocuments(objects))
    io.onWork?.()
    return EXIT.clean
  },
})

type ManifestFlags = Args<
  'overlay' | 'namespace' | 'config' | 'api-server' | 'nginx-port' | 'mesh' | 'tls-secret' | 'image'
>
type Common = Pick<Choices, 'apiGroups' | 'namespace' | 'image'>

/** What can be installed, and how its objects are made. */
const SURFACES = {
  admission: (args, common) =>
    admissionInstallation({
      ...common,
      apiServers: args.values('api-server').map(readRange),
      mesh: args.has('mesh'),
      components: new Set(args.values('overlay').map(readOverlay)),
    }),
  controller(args, common) {
    const ports = args.values('nginx-port').map(readPort)
    return controllerInstallation({ ...common, nginxPorts: ports.length > 0 ? ports : undefined })
  },
  'api-management'(args, common) {
    const [nginxPort, ...others] = args.values('nginx-port').map(readPort)
    if (others.length > 0) throw new InputError('the nginx of the management API has one port: use --nginx-port once')
    if (Object.values<number | undefined>(API_MANAGEMENT_PORTS).includes(nginxPort))
      throw new InputError(`--nginx-port ${nginxPort} is a port of the management API itself: choose another`)
    return apiManagementInstallation({ ...common, nginxPort, tlsSecret: readSecret(args.value('tls-secret')) })
  },
  mesh: (_, common) => meshInstallation(common),
} as const satisfies Record<string, (args: ManifestFlags, common: Common) => readonly KubeObject[]>

type Surface = keyof typeof SURFACES

/** The flags that not all have. */
const HOMES = {
  overlay: ['admission'],
  'api-server': ['admission'],
  mesh: ['admission'],
  'nginx-port': ['controller', 'api-management'],
  'tls-secret': ['api-management'],
} as const satisfies Record<string, readonly Surface[]>

const homesOf = (flag: string) => (isKeyOf(HOMES, flag) ? HOMES[flag].map((home) => `manifests ${home}`) : [])

/** Throws {@link InputError} for what cannot be installed, and for flags of something else. */
function readSurface({ positionals, has }: ManifestFlags): Surface {
  const [what = 'admission', ...others] = positionals
  if (!isKeyOf(SURFACES, what) || others.length > 0)
    throw new InputError(
      `"sluice manifests" takes ${Object.keys(SURFACES).join(' or ')}; got "${positionals.join(' ')}"`,
    )
  const given = Object.keys(HOMES).filter((flag) => isKeyOf(HOMES, flag) && has(flag))
  refuseForeign(given, `manifests ${what}`, homesOf)
  return what
}

const isKeyOf = <Table extends object>(table: Table, key: string): key is string & keyof Table =>
  Object.hasOwn(table, key)

function readSecret(name: string | undefined): string | undefined {
  if (name === undefined || /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) return name
  throw new InputError(`--tls-secret must be the name of a Secret such as "gateway-tls"; got "${name}"`)
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65_535) return port
  throw new InputError(`--nginx-port must be a port from 1 to 65535; got "${text}"`)
}

/** The CIDR of a range or of a single address; NetworkPolicies take nothing else. Throws {@link InputError}. */
function readRange(text: string): string {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
  if (most < 0 || !isRange || rest.length > 0)
    throw new InputError(`--api-server must be an address or a range such as 10.0.0.0/28; got "${text}"`)
  return `${address}/${bits ?? most}`
}

function readOverlay(name: string): ComponentName {
  if (isKeyOf(COMPONENTS, name)) return name
  const meant = nearest(name, OVERLAYS)
  const hint = meant === undefined ? `the overlays are ${OVERLAYS.join(', ')}` : `did you mean ${meant}?`
  throw new InputError(`unknown overlay "${name}"; ${hint}`)
}
