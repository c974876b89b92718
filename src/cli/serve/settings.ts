/** The settings of a server: read at the start, reloaded while it runs. */
import { resolve } from 'node:path'
import { RULES } from '../../../rules/index.ts'
import { readSmallText } from '../../disk/read-regular-file.ts'
import { describeSystemError } from '../../files/input-problem.ts'
import type { Log } from '../../http/log.ts'
import { watchFiles } from '../../http/watched-files.ts'
import { NAMES } from '../../installation/object.ts'
import type { SettingsHolder } from '../../servers/admission/settings-holder.ts'
import { DEFAULT_ADMISSION, DEFAULT_PROJECT, type ProjectSettings } from '../../settings/settings.ts'
import type { Args } from '../core/flags.ts'
import { InputError, type Io } from '../core/io.ts'
import { findSettings, loadProject } from '../core/project.ts'
import { ownNamespace } from './certificate.ts'
import type { ServedCluster } from './world.ts'

/** The settings at the start. */
export type FirstSettings = {
  readonly project: ProjectSettings
  /** Why they are not those of the file; undefined where they are. */
  readonly problem: string | undefined
  /** The text of the file; undefined where there is none, or it cannot be read. */
  readonly text: string | undefined
}

/** While the settings cannot be read: report all findings as warnings, deny nothing. */
const WARN_ONLY: ProjectSettings = { ...DEFAULT_PROJECT, admission: { ...DEFAULT_ADMISSION, enforce: 'warn' } }

/**
 * Reads the settings. Throws {@link InputError} for a mistake in them, except in a cluster: a replica that restarts while
 * its ConfigMap is broken must not cause an outage.
 */
export async function readFirstSettings(io: Io, args: Args<'config'>): Promise<FirstSettings> {
  const ids = RULES.map(({ id }) => id)
  // Read before the settings: if it changes in between, it is read once more.
  const path = pathOf(io, args)
  const text = path === undefined ? undefined : textOf(path)
  try {
    return {
      text,
      project: await loadProject(io, { named: args.value('config'), ruleIds: ids, readsFiles: false }),
      problem: undefined,
    }
  } catch (error) {
    if (!(error instanceof InputError) || !io.env.KUBERNETES_SERVICE_HOST) throw error
    return { text, project: WARN_ONLY, problem: error.message }
  }
}

/** Reloads the settings file when its text is no longer the first one, where there is a file. Returns what ends that. */
export function followSettings(
  io: Io,
  args: Args<'config'>,
  { first, settings }: { readonly first: FirstSettings; readonly settings: Pick<SettingsHolder, 'apply' | 'reject'> },
): () => void {
  const path = pathOf(io, args)
  if (path === undefined) return () => {}
  return watchFiles(
    {
      paths: [path],
      onChange: ([text = '']) => settings.apply(text),
      onProblem: (error) => settings.reject(describeSystemError(error)),
    },
    first.text === undefined ? undefined : [first.text],
  )
}

function pathOf({ cwd }: Io, args: Args<'config'>): string | undefined {
  const named = args.value('config')
  return named === undefined ? findSettings(cwd) : resolve(cwd, named)
}

function textOf(path: string): string | undefined {
  try {
    return readSmallText(path)
  } catch {
    return undefined
  }
}

/** Reports rejected settings as an event in the cluster; outside of a cluster the log is enough. */
export function createProblemReporter(ownCluster: ServedCluster['ownCluster'], log: Log): (problem: string) => void {
  if (!ownCluster) return () => {}
  return (message) => {
    const event = { namespace: ownNamespace(), name: NAMES.config, reason: 'SettingsRejected', message, at: new Date() }
    void import('../../cluster/client/events.ts')
      .then(({ warnAboutConfigMap }) => warnAboutConfigMap(ownCluster, event))
      .catch((error: unknown) => log.warn({ error }, 'the event could not be created'))
  }
}
