/** What commands about manifests have in common: which files they read, with which settings; flags of a few kinds. */
import { RULES } from '../../../rules/index.ts'
import { FABRIC_VERSIONS } from '../../fabric/releases.ts'
import { type Collected, type CollectSourcesOptions, collectSources } from '../../files/discover/collect-sources.ts'
import { eachOnce, type NotJudged } from '../../project/source.ts'
import type { Settings, Severities } from '../../settings/settings.ts'
import type { Args, Flags } from './flags.ts'
import { EXIT, InputError, type Io } from './io.ts'
import { isComplete, passedOver, printInputProblems, printNotJudged } from './print-notes.ts'
import { loadProject, type Project, readProjectFlags } from './project.ts'
import { createProgress, WHEN } from './terminal.ts'

/** The flags for what is read and how it is shown. */
export const INPUT_FLAGS = {
  config: { value: 'FILE', summary: 'the settings; default: sluice.config.yaml here or in a parent folder' },
  'fabric-version': {
    value: 'V',
    choices: FABRIC_VERSIONS,
    summary: 'the release of NGINX Gateway Fabric, such as 2.6.7; default: as in the settings',
  },
  namespace: { short: 'n', value: 'NS', summary: 'the namespace of manifests that do not set one' },
  'closed-world': { summary: 'nothing exists besides these files' },
  color: { value: 'WHEN', choices: WHEN, summary: 'auto, always or never; default: auto' },
  verbose: { summary: 'print the stack trace of a fault in sluice' },
} as const satisfies Flags

/** The flags that name a cluster. Its client is loaded only for runs that have them. */
export const CLUSTER_FLAGS = {
  cluster: { summary: 'judge the objects in the cluster of your kubeconfig' },
  context: { value: 'NAME', needs: ['cluster', 'old'], summary: 'with a cluster: another context of the kubeconfig' },
  'all-namespaces': { short: 'A', needs: ['cluster'], summary: 'with --cluster: the policies of all namespaces' },
} as const satisfies Flags

/** The manifests of a command line. */
export type Inputs = {
  readonly project: Project
  readonly collected: Collected
  /** True with --closed-world where everything could be read. */
  readonly closedWorld: boolean
  readonly namespace: string | undefined
}

/** Severities of the command line: only `lint` has them. */
const NO_SEVERITIES: Severities = {}

/**
 * Reads the manifests that paths mean, and prints on the standard error what could not be read.
 * Throws {@link InputError} for settings that cannot be read.
 */
export async function readInputs(
  io: Io,
  args: Args<keyof typeof INPUT_FLAGS>,
  paths: readonly string[],
  { observer, texts }: Pick<CollectSourcesOptions, 'observer' | 'texts'> = {},
): Promise<Inputs> {
  const namespace = readNamespace(args.value('namespace'))
  const ids = RULES.map(({ id }) => id)
  const project = await loadProject(io, { ...readProjectFlags(args), ruleIds: ids, readsFiles: true })
  const progress = createProgress(io)
  const collected = await collectSources(paths, {
    ...project,
    cwd: io.cwd,
    rules: NO_SEVERITIES,
    namespace,
    stdin: io.stdin,
    onFile: () => progress.step('reading'),
    ...(observer ? { observer } : {}),
    ...(texts ? { texts } : {}),
  })
  progress.clear()
  const isClosed = args.has('closed-world')
  printInputProblems(collected, io, { isQuiet: false, isClosed })
  return { project, collected, closedWorld: isClosed && isComplete(collected), namespace }
}

/** Prints what the answer to a query leaves out. Returns all that was not judged, as the JSON of commands lists it. */
export function reportLeftOut(
  leftOut: readonly NotJudged[],
  { collected }: Pick<Inputs, 'collected'>,
  io: Io,
): readonly NotJudged[] {
  printNotJudged(eachOnce(leftOut), io)
  const all = eachOnce([...passedOver(collected), ...leftOut])
  return all.map(({ isError: _, ...one }) => one)
}

/** Ends a command that did its work, and returns its exit code. */
export function finish(io: Io, { problems }: Pick<Collected, 'problems'>): number {
  io.onWork?.()
  return problems.length > 0 ? EXIT.input : EXIT.clean
}

/** Checks `--namespace`. Throws {@link InputError} for what is not a name of a namespace. */
export function readNamespace(name: string | undefined): string | undefined {
  if (name === undefined || (name.length <= 63 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name))) return name
  throw new InputError(`--namespace must be a name such as "shop"; got "${name}"`)
}

/** Reads the value of a flag that takes one of a few words; the first is the default. Throws {@link InputError}. */
export function readChoice<Choice extends string>(
  flag: string,
  value: string | undefined,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const choice = value === undefined ? choices[0] : choices.find((known) => known === value)
  if (choice !== undefined) return choice
  throw new InputError(`--${flag} must be one of ${choices.join(', ')}; got "${value}"`)
}

/** The values of `--composition`. */
export const COMPOSITIONS = ['stack', 'inherit'] as const

/** The value of `--composition`; undefined where it is not set. Throws {@link InputError}. */
export function readComposition(args: Args<'composition'>): Settings['composition'] | undefined {
  return args.has('composition') ? readChoice('composition', args.value('composition'), COMPOSITIONS) : undefined
}
