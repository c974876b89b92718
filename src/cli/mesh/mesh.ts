/** `sluice mesh`: the API of the service mesh in a cluster, for people and scripts. */
import { resolve } from 'node:path'
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { apiNames } from '../../kubernetes/api-groups.ts'
import { describeOperationError, patchConfig } from '../../mesh/patch-config.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { tableText } from '../../reports/rows.ts'
import { changedFields } from '../../servers/mesh/audit.ts'
import { LEFT_AS_IT_IS } from '../../servers/mesh/warnings.ts'
import { nearest } from '../../text/nearest.ts'
import { writeDocuments } from '../../yaml/documents.ts'
import { type Command, command, refuseForeign } from '../core/command.ts'
import type { Args } from '../core/flags.ts'
import { EXIT, InputError, type Io, requireNode } from '../core/io.ts'
import { readText } from '../core/mesh-config.ts'
import { loadSettings } from '../core/project.ts'
import { VERSION } from '../version/version.ts'
import { type MeshApi, MeshRefusal, openMeshApi } from './api.ts'
import { inFlags, readChanges } from './changes.ts'
import { removeMesh } from './remove.ts'
import { restoreMesh } from './restore.ts'

const FLAGS = {
  set: { value: 'FIELD=VALUE', summary: 'config: set a field, lists with commas; may be repeated' },
  remove: {
    value: 'FIELD[=VALUE]',
    summary: 'config: take values out of a list, or give a field its initial value; may be repeated',
  },
  add: { value: 'FIELD=VALUE', summary: 'config: add to a list; may be repeated' },
  'dry-run': { summary: 'config, restore: print what would change, and change nothing' },
  force: { summary: 'restore: also where the mesh was changed since; these changes stay' },
  filename: { short: 'f', value: 'FILE', summary: 'inject: the manifests; - is the standard input' },
  'ignore-incoming-ports': {
    value: 'PORTS',
    needs: ['filename'],
    summary: 'inject: ports whose incoming traffic the sidecar leaves alone, with commas between them; may be repeated',
  },
  'ignore-outgoing-ports': { value: 'PORTS', needs: ['filename'], summary: 'inject: the same for outgoing traffic' },
  yes: { short: 'y', summary: 'remove: do not ask' },
  format: {
    value: 'FORMAT',
    choices: ['text', 'json'],
    summary: 'config, services, version, restore: text or json; default: text',
  },
  context: { value: 'NAME', summary: 'another context of the kubeconfig' },
  kubeconfig: { value: 'FILE', summary: 'the cluster; default: KUBECONFIG, ~/.kube/config, or the one this runs in' },
  config: {
    value: 'FILE',
    summary: 'settings with the apiGroups; default: sluice.config.yaml here or in a parent folder',
  },
  verbose: { summary: 'print the stack trace of a fault in sluice' },
} as const

type MeshFlags = Args<keyof typeof FLAGS>

type Subcommand = {
  /** The flags that only some subcommands have. */
  readonly flags: readonly (keyof typeof FLAGS)[]
  run(io: Io, args: MeshFlags, api: MeshApi): Promise<number>
}

const SUBCOMMANDS = {
  config: { flags: ['set', 'remove', 'add', 'dry-run', 'format'], run: runConfig },
  services: { flags: ['format'], run: runServices },
  inject: { flags: ['filename', 'ignore-incoming-ports', 'ignore-outgoing-ports'], run: runInject },
  version: { flags: ['format'], run: runVersion },
  remove: { flags: ['yes'], run: (io, args, api) => removeMesh(io, api, args.has('yes')) },
  restore: {
    flags: ['dry-run', 'force', 'format'],
    run: (io, args, api) =>
      restoreMesh(io, api, {
        isDryRun: args.has('dry-run'),
        force: args.has('force'),
        isJson: args.value('format') === 'json',
      }),
  },
} as const satisfies Readonly<Record<string, Subcommand>>

/** `sluice mesh`. It needs Node 22.19, as the Kubernetes client does. */
export const meshCommand: Command = command({
  name: 'mesh',
  summary: 'show and change the service mesh of a cluster, through its API',
  usage: 'config|services|inject|version|remove|restore [flags]',
  details: `config prints the configuration of the mesh. With --set, --remove and --add it
is changed: all of them count, in this order, or none.
services lists the Services whose Pods have the sidecar.
inject prints manifests with the sidecar; "sluice inject" does it without a
cluster.
version lists the versions of the components.
remove makes every sidecar pass traffic on as it is, so that the mesh can be
deleted, and lists the workloads that still have one.
restore takes that back: sidecars do again what the configuration says, and
every other field stays as it is. A second time it changes nothing.

The API of the mesh is beta: it may change.`,
  flags: FLAGS,
  examples: [
    { line: 'sluice mesh config', does: 'the whole configuration' },
    {
      line: 'sluice mesh config --set mtls.mode=strict --remove tracing',
      does: 'several changes at once, or none of them',
    },
    { line: 'sluice mesh config --add injection.enabledNamespaces=prod --dry-run', does: 'what would change' },
    { line: 'sluice mesh services --format json', does: 'for scripts' },
    { line: 'sluice mesh inject -f deployment.yaml | kubectl apply -f -', does: 'with the configuration of the mesh' },
    { line: 'sluice mesh remove --yes', does: 'before the mesh is deleted' },
    { line: 'sluice mesh restore --dry-run', does: 'what taking that back would change, and since when' },
  ],
  run: async (io, args) => {
    requireNode('22.19', io)
    const subcommand = readSubcommand(args)
    const format = args.value('format') ?? 'text'
    if (format !== 'text' && format !== 'json') throw new InputError(`--format must be text or json; got "${format}"`)
    const settings = await loadSettings(io, args)
    const { kubeconfig } = await openKubeconfig(io, args)
    // A change is asked for and then made: what counts is what is true in the end.
    let warnings: readonly string[] = []
    const status = await subcommand
      .run(
        io,
        args,
        openMeshApi(kubeconfig, apiNames(settings.apiGroups), (latest) => (warnings = latest)),
      )
      .catch((error: unknown) => {
        if (!(error instanceof MeshRefusal)) throw error
        const { message, descriptions } = error
        throw new InputError(descriptions.length > 1 ? descriptions.join('\nsluice: ') : message)
      })
    for (const text of warnings) io.stderr.write(`warning: ${escapeUnsafe(text)}\n`)
    io.onWork?.()
    return warnings.some((text) => text.endsWith(LEFT_AS_IT_IS)) ? EXIT.findings : status
  },
})

/** Throws {@link InputError} for what is no subcommand, and for flags of another one. */
function readSubcommand({ positionals, has }: MeshFlags): Subcommand {
  const [name = '', ...others] = positionals
  const names = Object.keys(SUBCOMMANDS)
  if (!isSubcommand(name) || others.length > 0) {
    const meant = others.length > 0 ? undefined : nearest(name, names)
    throw new InputError(
      meant === undefined
        ? `"sluice mesh" takes ${names.join(', ')}; got "${positionals.join(' ')}"`
        : `unknown "sluice mesh ${name}"; did you mean "sluice mesh ${meant}"?`,
    )
  }
  const given = (Object.keys(FLAGS) as (keyof typeof FLAGS)[]).filter(has)
  refuseForeign(given, `mesh ${name}`, homesOf)
  if (name === 'config' && has('dry-run') && !CHANGES.some(has))
    throw new InputError(`--dry-run needs ${CHANGES.map((flag) => `--${flag}`).join(' or ')}`)
  return SUBCOMMANDS[name]
}

const CHANGES = ['set', 'remove', 'add'] as const

/** The subcommands of a flag; none: all have it. */
const homesOf = (flag: string): readonly string[] =>
  Object.entries<Subcommand>(SUBCOMMANDS).flatMap(([name, { flags }]) =>
    flags.some((one) => one === flag) ? [`mesh ${name}`] : [],
  )

const isSubcommand = (name: string): name is keyof typeof SUBCOMMANDS => Object.hasOwn(SUBCOMMANDS, name)

async function openKubeconfig(io: Io, args: MeshFlags) {
  const { clusterOfUser } = await import('../../cluster/client/kubeconfig.ts')
  const file = args.value('kubeconfig')
  try {
    return clusterOfUser({ context: args.value('context'), file: file && resolve(io.cwd, file) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new InputError(file === undefined ? reason : `--kubeconfig ${file}: ${reason}`)
  }
}

const printJson = (io: Io, value: Json): void => io.stdout.write(`${JSON.stringify(value, null, 2)}\n`, 'json')

async function runConfig(io: Io, args: MeshFlags, api: MeshApi): Promise<number> {
  const changes = readChanges((flag) => args.values(flag), api.names)
  const before = objectOf(await api.read('readConfig'))
  const after = changes.length === 0 ? before : await changed(api, before, { changes, isDryRun: args.has('dry-run') })
  if (args.value('format') === 'json') printJson(io, after)
  else if (changes.length === 0) io.stdout.write(writeDocuments([after]))
  else io.stdout.write(changesText(changedFields({ before, after }, api.names)))
  return EXIT.clean
}

type Wanted = { readonly changes: ReturnType<typeof readChanges>; readonly isDryRun: boolean }

async function changed(api: MeshApi, before: JsonObject, { changes, isDryRun }: Wanted): Promise<JsonObject> {
  const body = changes.map(({ operation }) => operation)
  const refused = (descriptions: readonly string[]) =>
    new InputError(
      ['the configuration stays as it is', ...descriptions.map((text) => inFlags(text, changes))].join('\nsluice: '),
    )
  if (isDryRun) {
    const outcome = patchConfig(before, body, api.names)
    if ('document' in outcome) return outcome.document
    throw refused(outcome.errors.map(describeOperationError))
  }
  const sent = { body: JSON.stringify(body), contentType: 'application/json' }
  return objectOf(
    await api.read('patchConfig', sent).catch((error: unknown) => {
      throw error instanceof MeshRefusal && error.descriptions.length > 0 ? refused(error.descriptions) : error
    }),
  )
}

function changesText(fields: ReturnType<typeof changedFields>): string {
  const shown = (value: unknown) => (value === undefined ? 'none' : JSON.stringify(value))
  const lines = fields.map(({ field, from, to }) => `${field}: ${shown(from)} -> ${shown(to)}`)
  return `${(lines.length > 0 ? lines : ['nothing changes: the configuration is so already']).join('\n')}\n`
}

const objectOf = (value: Json): JsonObject => (isObject(value) ? value : {})

async function runServices(io: Io, args: MeshFlags, api: MeshApi): Promise<number> {
  const services = await api.read('listServices')
  if (args.value('format') === 'json') printJson(io, services)
  else {
    const rows = (Array.isArray(services) ? services : []).map((service: Json) => {
      const { namespace, name, serviceIP, ports, addresses } = objectOf(service)
      return [namespace, name, serviceIP, listOf(ports).map(portText).join(','), listOf(addresses).join(',')].map(
        String,
      )
    })
    const head = ['NAMESPACE', 'NAME', 'IP', 'PORTS', 'ADDRESSES']
    io.stdout.write(rows.length > 0 ? tableText(head, rows) : 'no Service has a Pod with the sidecar\n')
  }
  return EXIT.clean
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

function portText(value: Json): string {
  const { port, protocol } = objectOf(value)
  return `${port}/${protocol}`
}

async function runVersion(io: Io, args: MeshFlags, api: MeshApi): Promise<number> {
  const versions = objectOf(await api.read('listVersions'))
  if (args.value('format') === 'json') printJson(io, { ...versions, sluice: [VERSION] })
  else {
    const rows = Object.entries(versions).map(([component, list]) => [component, listOf(list ?? []).join(', ')])
    io.stdout.write(tableText(['COMPONENT', 'VERSIONS'], [...rows, ['sluice', VERSION]]))
  }
  return EXIT.clean
}

async function runInject(io: Io, args: MeshFlags, api: MeshApi): Promise<number> {
  const [file, ...others] = args.values('filename')
  if (file === undefined) throw new InputError('what to inject? write "sluice mesh inject -f FILE"')
  if (others.length > 0)
    throw new InputError('the API takes one file at a time: write -f once, or use "sluice inject", which takes several')
  const text = readText(file, io)
  const ports = (['ignore-incoming-ports', 'ignore-outgoing-ports'] as const).map((flag) => args.values(flag))
  io.stdout.write(await api.call('inject', injectForm(text, ports)), 'exact')
  return EXIT.clean
}

/** The form of the specification, "Request and response schemas". */
function injectForm(text: string, [incoming = [], outgoing = []]: readonly (readonly string[])[]) {
  const boundary = `sluice-${crypto.randomUUID()}`
  const part = (disposition: string, body: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${body}\r\n`
  const body = [
    part('name="file"; filename="manifests"', text),
    ...incoming.map((value) => part('name="ignoreIncomingPorts"', value)),
    ...outgoing.map((value) => part('name="ignoreOutgoingPorts"', value)),
    `--${boundary}--\r\n`,
  ]
  return { body: body.join(''), contentType: `multipart/form-data; boundary=${boundary}` }
}
