/** `sluice inject`. */
import { STDIN } from '../../files/discover/stdin.ts'
import { apiNames } from '../../kubernetes/api-groups.ts'
import { type InjectedObject, type InjectOptions, inject, joinTexts } from '../../mesh/inject/inject.ts'
import { readPorts } from '../../mesh/inject/ports.ts'
import { describeNotEnforced, notEnforced } from '../../mesh/not-enforced.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { type Command, command } from '../core/command.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { readMeshConfig, readText } from '../core/mesh-config.ts'
import { loadSettings } from '../core/project.ts'

/** `sluice inject`. */
export const injectCommand: Command = command({
  name: 'inject',
  summary: 'add the sidecar of the service mesh to manifests',
  usage: '-f FILE [flags]',
  details: `Prints the manifests with the sidecar in every Deployment, DaemonSet,
StatefulSet, ReplicaSet, ReplicationController, Job, CronJob, Pod and object of
another kind with a Pod template; all else stays as it is, with its comments.
YAML stays YAML, and JSON stays JSON. What has the sidecar already is not
changed. A document that cannot be read stays as it is, and is named; the exit
code is then 1. One that kubectl would apply without the sidecar keeps all from
being printed. The API of the mesh is beta: what is added may change.`,
  flags: {
    filename: { short: 'f', value: 'FILE', summary: 'the manifests; - is the standard input; may be repeated' },
    'ignore-incoming-ports': {
      value: 'PORTS',
      summary: 'ports whose incoming traffic the sidecar leaves alone, with commas between them; may be repeated',
    },
    'ignore-outgoing-ports': { value: 'PORTS', summary: 'the same for outgoing traffic' },
    'mesh-config': {
      value: 'FILE',
      summary: 'the configuration of the mesh, or its ConfigMap; default: that of a new one',
    },
    config: {
      value: 'FILE',
      summary: 'settings with apiGroups and podTemplates; default: sluice.config.yaml here or in a parent folder',
    },
    verbose: { summary: 'print the stack trace of a fault in sluice' },
  },
  examples: [
    { line: 'sluice inject -f deployment.yaml | kubectl apply -f -', does: 'inject and apply' },
    { line: 'kustomize build . | sluice inject -f -', does: 'what another program prints' },
    {
      line: 'sluice inject -f deployment.yaml --ignore-incoming-ports 8080,9090',
      does: 'two ports without the sidecar',
    },
    {
      line: 'kubectl get --raw /apis/nsm.nginx.com/v1alpha1/config > mesh.json',
      does: 'the configuration of your mesh, for --mesh-config mesh.json',
    },
  ],
  run: async (io, args) => {
    const files = args.values('filename')
    const [surplus] = args.positionals
    if (surplus !== undefined) throw new InputError(`name files with -f: sluice inject -f ${surplus}`)
    if (files.length === 0) throw new InputError('what to inject? write "sluice inject -f FILE"')
    if (files.filter((file) => file === '-').length > 1) throw new InputError('-f - can be given once')
    const ignoreIncomingPorts = portsOf('ignore-incoming-ports', args.values('ignore-incoming-ports'))
    const ignoreOutgoingPorts = portsOf('ignore-outgoing-ports', args.values('ignore-outgoing-ports'))
    const settings = await loadSettings(io, args)
    const names = apiNames(settings.apiGroups)
    const file = args.value('mesh-config')
    const { config, placeOf } =
      file === undefined ? { config: {}, placeOf: undefined } : readMeshConfig('--mesh-config', file, { names, io })
    const { podTemplates } = settings
    const options = { config, names, ignoreIncomingPorts, ignoreOutgoingPorts, podTemplates }
    const { texts, isPart } = injectAll(files, options, io)
    const joined = joinTexts(texts)
    if (joined === undefined)
      throw new InputError('JSON cannot be followed by YAML in one stream; name the files with JSON last')
    // Without a file it is not known what the mesh asks for.
    for (const one of placeOf ? notEnforced(config) : [])
      io.stderr.write(`warning: ${placeOf?.(one.pointer)}: ${escapeUnsafe(describeNotEnforced(one))}\n`)
    io.stdout.write(joined, 'exact')
    io.onWork?.()
    return isPart ? EXIT.findings : EXIT.clean
  },
})

function portsOf(flag: string, values: readonly string[]): readonly number[] {
  const list = readPorts(values)
  if ('problem' in list) throw new InputError(`--${flag}: ${list.problem}`)
  return list.ports
}

/** The texts; `isPart` where a document was left as it is, as it cannot be read. */
type InjectedFiles = { readonly texts: readonly string[]; readonly isPart: boolean }

/** Injects all files, and prints what was left alone. Throws {@link InputError} with everything that is wrong with them. */
function injectAll(files: readonly string[], options: InjectOptions, io: Io): InjectedFiles {
  const results = files.map((file) => {
    const text = readText(file, io)
    return { shown: file === '-' ? STDIN : file, text, result: inject(text, options) }
  })
  const isNothingRead = results.every(({ result }) => !result.ok)
  const [problems, left, warnings, notes]: [string[], string[], string[], string[]] = [[], [], [], []]
  const texts = results.map(({ shown, text, result }) => {
    const places = (result.ok ? result.unread : result.errors).map(
      ({ document, field, message, line, column }) =>
        `${shown}:${line}:${column}: document ${document}${field === '' ? '' : `, ${field}`}: ${message}`,
    )
    const isLeft = result.ok || (result.isUnread && !isNothingRead)
    ;(isLeft ? left : problems).push(...places)
    if (!result.ok) return text
    for (const { document, line, column, ...one } of result.warnings)
      warnings.push(`${shown}:${line}:${column}: document ${document}, ${describeNotEnforced(one)}`)
    for (const object of result.objects) notes.push(...noteOf(object).map((note) => `${shown}: ${note}`))
    if (!result.objects.some(({ outcome }) => outcome === 'injected' || outcome === 'already-injected'))
      notes.push(`${shown}: nothing to inject`)
    return result.text
  })
  if (problems.length > 0) throw new InputError([...problems, ...left].map(escapeUnsafe).join('\nsluice: '))
  for (const one of left) io.stderr.write(`sluice: ${escapeUnsafe(one)}; it is left as it is\n`)
  for (const warning of warnings) io.stderr.write(`warning: ${escapeUnsafe(warning)}\n`)
  for (const note of notes) io.stderr.write(`note: ${escapeUnsafe(note)}\n`)
  return { texts, isPart: left.length > 0 }
}

const NOTES: Readonly<Record<InjectedObject['outcome'], string | undefined>> = {
  injected: undefined,
  unsupported: undefined,
  'no-template': 'is left as it is: it has nothing where podTemplates of the settings say its Pods are',
  'too-many': 'is left as it is: podTemplates of the settings name more than 1,000 Pods in it',
  knative:
    'is left as it is: Knative refuses init containers and volumes of the host in it; let the webhook inject its Pods',
  'already-injected': 'has the sidecar already',
  'kube-system': 'is left as it is: kube-system is never injected',
  'host-network': 'is left as it is: with hostNetwork the sidecar would take the traffic of the whole node',
}

function noteOf({ document, kind, name, outcome }: InjectedObject): readonly string[] {
  const note = NOTES[outcome]
  return note === undefined ? [] : [`document ${document}: ${kind}/${name} ${note}`]
}
