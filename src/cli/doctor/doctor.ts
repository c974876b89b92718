/** `sluice doctor`. */
import { resolve } from 'node:path'
import { RULES } from '../../../rules/index.ts'
import type { Evidence, Known } from '../../doctor/evidence.ts'
import { examine } from '../../doctor/examine.ts'
import { doctorJson, doctorText, type Examined } from '../../doctor/report.ts'
import { collectSources } from '../../files/discover/collect-sources.ts'
import { NAMES } from '../../installation/object.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { type Command, command } from '../core/command.ts'
import type { Args, Flags } from '../core/flags.ts'
import { readChoice, readNamespace } from '../core/inputs.ts'
import { EXIT, InputError, type Io, requireNode } from '../core/io.ts'
import { printInputProblems } from '../core/print-notes.ts'
import { loadProject } from '../core/project.ts'
import { createProgress, WHEN, wantsColor } from '../core/terminal.ts'
import { VERSION } from '../version/version.ts'

const FORMATS = ['text', 'json'] as const

const FLAGS = {
  context: { value: 'NAME', summary: 'another context of the kubeconfig' },
  kubeconfig: { value: 'FILE', summary: 'the cluster; default: KUBECONFIG or ~/.kube/config' },
  namespace: {
    short: 'n',
    value: 'NS',
    summary: `the namespace of the installation; default: as its webhook configurations say, else ${NAMES.namespace}`,
  },
  'try-in': { value: 'NS', summary: 'the namespace of the dry-run requests; default: that of the context' },
  timeout: { value: 'SECONDS', summary: 'the longest wait for each answer; default: 10' },
  quiet: { short: 'q', summary: 'leave out what is ok, and what is not covered' },
  strict: { summary: 'warnings, and what is unknown, fail too' },
  format: {
    value: 'NAME',
    choices: FORMATS,
    summary: `output format: ${FORMATS.join(', ')}; the JSON is a contract`,
  },
  config: {
    value: 'FILE',
    summary: 'the settings; default: those of the installation, else sluice.config.yaml here or in a parent folder',
  },
  color: { value: 'WHEN', choices: WHEN, summary: 'auto, always or never; default: auto' },
  verbose: { summary: 'print the stack trace of a fault in sluice' },
} as const satisfies Flags

type DoctorFlags = Args<keyof typeof FLAGS>

/** `sluice doctor`. It needs Node 22.19 for a cluster, as the Kubernetes client does. */
export const doctorCommand: Command = command({
  name: 'doctor',
  summary: 'check an installation in a cluster, or its manifests',
  usage: '[paths…] [flags]',
  details: `Without paths it asks the cluster of your kubeconfig; nothing is stored there:
the policies that it tries are dry runs. It reads no Secret, but for the
certificate of a server to which it cannot connect. With paths, as for lint, it
checks the manifests of an installation.

Exit code: 0 where nothing fails, 1 where a check fails (with --strict, also for
a warning or an unknown), 2 where the cluster or the files cannot be read.`,
  flags: FLAGS,
  examples: [
    { line: 'sluice doctor', does: 'the cluster of the current context' },
    { line: 'sluice doctor --context prod --strict', does: 'in CI: warnings fail too' },
    { line: 'sluice doctor --try-in shop', does: 'try policies in a namespace (as dry runs)' },
    { line: 'sluice doctor --format json', does: 'for scripts' },
    { line: 'sluice doctor deploy/sluice', does: 'the manifests of an installation' },
    { line: 'helm template sluice ./chart | sluice doctor -', does: 'what a chart renders' },
  ],
  run: async (io, args) => {
    const format = readChoice('format', args.value('format'), FORMATS)
    const color = wantsColor(args.value('color'), io.stdout, io)
    const sight = args.positionals.length > 0 ? await examineFiles(io, args) : await examineCluster(io, args)
    if (!sight) return EXIT.input
    const { evidence, examined, lost } = sight
    const examination = examine(evidence)
    if (format === 'json') io.stdout.write(doctorJson(VERSION, examined, examination), 'json')
    else io.stdout.write(doctorText(examination, { color, width: io.stdout.columns, isQuiet: args.has('quiet') }))
    io.onWork?.()
    if (lost !== undefined) throw new InputError(`not everything could be read: ${lost}`)
    const { failure, warning, unknown } = examination.summary
    const isBad = failure > 0 || (args.has('strict') && warning + unknown > 0)
    return isBad ? EXIT.findings : EXIT.clean
  },
})

type Sight = { readonly evidence: Evidence; readonly examined: Examined; readonly lost: string | undefined }

const loadOf = (io: Io, args: DoctorFlags, readsFiles: boolean) =>
  loadProject(io, { named: args.value('config'), ruleIds: RULES.map(({ id }) => id), readsFiles })

async function examineCluster(io: Io, args: DoctorFlags): Promise<Sight> {
  requireNode('22.19', io)
  const namespace = readNamespace(args.value('namespace'))
  const timeout = readTimeout(args.value('timeout'))
  const project = await loadOf(io, args, false)
  const { clusterOfUser } = await import('../../cluster/client/kubeconfig.ts')
  const file = args.value('kubeconfig')
  const limits = { silence: timeout, whole: Math.max(timeout, LONGEST_LIST) }
  const { kubeconfig, namespace: usual } = opened(
    () => clusterOfUser({ context: args.value('context'), file: file && resolve(io.cwd, file), limits }),
    file,
  )
  const { readCluster } = await import('./cluster.ts')
  const progress = createProgress(io, 'answers')
  const { evidence, lost } = await readCluster({
    ...{ kubeconfig, project, namespace, timeout, sluice: VERSION },
    isNamed: args.has('config'),
    tryIn: args.value('try-in') ?? usual,
    isInside: io.env.KUBERNETES_SERVICE_HOST !== undefined,
    localNginx: await nginxHere(io),
    onAnswer: () => progress.step('reading'),
  }).finally(() => progress.clear())
  const examined = {
    place: 'cluster',
    server: kubeconfig.getCurrentCluster()?.server ?? '',
    context: kubeconfig.getCurrentContext(),
    namespace: evidence.namespace,
  } as const
  return { evidence, examined, lost }
}

/** Milliseconds for a long list, which comes in parts. */
const LONGEST_LIST = 60_000

/** Undefined where none of them can be read, which is said then. */
async function examineFiles(io: Io, args: DoctorFlags): Promise<Sight | undefined> {
  for (const flag of ['context', 'kubeconfig', 'try-in', 'timeout'] as const)
    if (args.has(flag)) throw new InputError(`--${flag} is about a cluster: leave out the paths to check one`)
  const project = await loadOf(io, args, false)
  const { MENTIONS_INSTALLATION, readFiles } = await import('./files.ts')
  const progress = createProgress(io)
  const collected = await collectSources(args.positionals, {
    ...project,
    cwd: io.cwd,
    rules: {},
    stdin: io.stdin,
    namespace: undefined,
    mentions: MENTIONS_INSTALLATION,
    // Who builds on a base is another installation.
    isAlone: true,
    onFile: () => progress.step('reading'),
  })
  progress.clear()
  printInputProblems(collected, io, { isQuiet: true, isClosed: false })
  if (collected.problems.length > 0 && collected.sources.length === 0) return undefined
  if (collected.sources.some((source) => 'builds' in source))
    io.stderr.write('note: kustomizations are not built here: kubectl kustomize FOLDER | sluice doctor -\n')
  const namespace = readNamespace(args.value('namespace'))
  const evidence = readFiles(collected, {
    ...{ project, namespace, sluice: VERSION, localNginx: await nginxHere(io), settingsTexts: [] },
  })
  const { length } = collected.problems
  return {
    evidence,
    examined: { place: 'files', paths: args.positionals, namespace: evidence.namespace },
    lost: length > 0 ? `${length === 1 ? 'a file' : `${length} files`} cannot be read` : undefined,
  }
}

function readTimeout(text = '10'): number {
  const seconds = /^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0
  if (seconds > 0) return seconds * 1000
  throw new InputError(`--timeout must be seconds such as 10; got "${text}"`)
}

function opened<Value>(open: () => Value, file: string | undefined): Value {
  try {
    return open()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new InputError(escapeUnsafe(file === undefined ? reason : `--kubeconfig ${file}: ${reason}`))
  }
}

/** Milliseconds that nginx may take to say its version. */
const NGINX_LIMIT = 5000

/** The version of the nginx on PATH. */
async function nginxHere({ env }: Io): Promise<Known<string>> {
  const { versionOf } = await import('../../proxy/program.ts')
  const program = env.SLUICE_NGINX ?? 'nginx'
  return versionOf(program, NGINX_LIMIT).then(
    (value): Known<string> => ({ state: 'found', value }),
    (): Known<string> => ({ state: 'absent' }),
  )
}
