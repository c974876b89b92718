/** What commands about manifests have in common: which files they read, and with which settings. */
import { RULES } from '../../../rules/index.ts'
import { type Collected, collectSources } from '../../files/discover/collect-sources.ts'
import type { Severities } from '../../settings/project.ts'
import type { Flags, Given } from './flags.ts'
import { isWhole, sayWhatIsMissing } from './input-notes.ts'
import { InputError, type Io } from './io.ts'
import { loadProject, type Project } from './project.ts'
import { createProgress } from './terminal.ts'

/** The flags that say what is read and how it is shown. */
export const INPUT_FLAGS = {
  config: { value: 'FILE', summary: 'the settings; default: sluice.config.yaml here or in a parent folder' },
  namespace: { short: 'n', value: 'NS', summary: 'the namespace of manifests that do not set one' },
  'closed-world': { summary: 'nothing exists besides these files' },
  color: { value: 'WHEN', summary: 'auto, always or never; default: auto' },
  verbose: { summary: 'print the stack trace of an internal error' },
} as const satisfies Flags

/** What the manifests of a command line are. */
export type Inputs = {
  readonly project: Project
  readonly collected: Collected
  /** The user said so, and everything could be looked into. */
  readonly closedWorld: boolean
  readonly namespace: string | undefined
}

/** Severities of the command line: only the lint has them. */
const NO_SEVERITIES: Severities = {}

/**
 * Reads the manifests that paths mean, and says on the standard error what could not be read.
 * Throws {@link InputError} for settings that cannot be read.
 */
export async function readInputs(
  io: Io,
  given: Given<keyof typeof INPUT_FLAGS>,
  paths: readonly string[],
): Promise<Inputs> {
  const namespace = readNamespace(given.value('namespace'))
  const ids = RULES.map(({ id }) => id)
  const project = await loadProject(io, given.value('config'), ids)
  const progress = createProgress(io)
  const collected = await collectSources(paths, {
    ...project,
    cwd: io.cwd,
    rules: NO_SEVERITIES,
    namespace,
    stdin: io.stdin,
    onFile: () => progress.step('reading'),
  })
  progress.clear()
  const isClosed = given.has('closed-world')
  sayWhatIsMissing(collected, io, { isQuiet: false, isClosed })
  return { project, collected, closedWorld: isClosed && isWhole(collected), namespace }
}

/** Checks `--namespace`. Throws {@link InputError} for what Kubernetes would not take. */
export function readNamespace(name: string | undefined): string | undefined {
  if (name === undefined || (name.length <= 63 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name))) return name
  throw new InputError(`--namespace is a name such as "shop"; got "${name}"`)
}

/** Reads a flag that has a few words to choose from; the first is the default. Throws {@link InputError}. */
export function readChoice<Choice extends string>(
  flag: string,
  given: string | undefined,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const choice = given === undefined ? choices[0] : choices.find((known) => known === given)
  if (choice !== undefined) return choice
  throw new InputError(`--${flag} is one of ${choices.join(', ')}; got "${given}"`)
}
