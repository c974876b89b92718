/** The settings of a server: read at the start, reloaded while it runs. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { RULES } from '../../../rules/index.ts'
import { describeSystemError } from '../../files/input-problem.ts'
import type { Log } from '../../http/log.ts'
import { watchFiles } from '../../http/watched-files.ts'
import { NAMES } from '../../installation/object.ts'
import type { SettingsHolder } from '../../servers/admission/settings-holder.ts'
import { DEFAULT_ADMISSION, DEFAULT_PROJECT, type ProjectSettings } from '../../settings/settings.ts'
import { InputError, type Io } from '../core/io.ts'
import { findSettings, loadProject } from '../core/project.ts'
import { ownNamespace } from './certificate.ts'
import type { ServeFlags } from './flags.ts'
import type { ServedWorld } from './world.ts'

/** The settings at the start, and why they are not those of the file; undefined where they are. */
export type FirstSettings = { readonly project: ProjectSettings; readonly problem: string | undefined }

/** While the settings cannot be read: report all findings as warnings, deny nothing. */
const WARN_ONLY: ProjectSettings = { ...DEFAULT_PROJECT, admission: { ...DEFAULT_ADMISSION, enforce: 'warn' } }

/**
 * Reads the settings. Throws {@link InputError} for a mistake in them, except in a cluster: a replica that restarts while
 * its ConfigMap is broken must not cause an outage.
 */
export async function readFirstSettings(io: Io, args: ServeFlags): Promise<FirstSettings> {
  const ids = RULES.map(({ id }) => id)
  try {
    return {
      project: await loadProject(io, { named: args.value('config'), ruleIds: ids, readsFiles: false }),
      problem: undefined,
    }
  } catch (error) {
    if (!(error instanceof InputError) || !io.env.KUBERNETES_SERVICE_HOST) throw error
    return { project: WARN_ONLY, problem: error.message }
  }
}

/** Reloads the settings file when it changes, where there is one. Returns what ends that. */
export function followSettings({ cwd }: Io, args: ServeFlags, settings: SettingsHolder): () => void {
  const named = args.value('config')
  const path = named === undefined ? findSettings(cwd) : resolve(cwd, named)
  if (path === undefined) return () => {}
  return watchFiles(
    {
      paths: [path],
      onChange: ([text = '']) => settings.apply(text),
      onProblem: (error) => settings.reject(describeSystemError(error)),
    },
    [textOf(path)],
  )
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Reports rejected settings as an event in the cluster; outside of a cluster the log is enough. */
export function createProblemReporter(ownCluster: ServedWorld['ownCluster'], log: Log): (problem: string) => void {
  if (!ownCluster) return () => {}
  return (message) => {
    const event = { namespace: ownNamespace(), name: NAMES.config, reason: 'SettingsRejected', message, at: new Date() }
    void import('../../cluster/client/events.ts')
      .then(({ warnAboutConfigMap }) => warnAboutConfigMap(ownCluster, event))
      .catch((error: unknown) => log.warn({ error }, 'the event could not be created'))
  }
}
