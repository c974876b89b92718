/** The settings of a server: found at the start, followed while it runs. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { RULES } from '../../../rules/index.ts'
import { reasonOf } from '../../files/input-problem.ts'

import type { Log } from '../../http/log.ts'
import { watchFiles } from '../../http/watch-files.ts'
import { NAMES } from '../../installation/object.ts'
import type { SettingsHolder } from '../../servers/admission/settings-holder.ts'
import { DEFAULT_ADMISSION } from '../../settings/admission.ts'
import { DEFAULT_PROJECT, type ProjectSettings } from '../../settings/project.ts'
import { InputError, type Io } from '../core/io.ts'
import { findSettings, loadProject } from '../core/project.ts'
import { ownNamespace } from './certificate.ts'
import type { ServeFlags } from './flags.ts'
import type { ServedWorld } from './world.ts'

/** What holds at the start, and why the written settings do not. */
export type FirstSettings = { readonly project: ProjectSettings; readonly problem: string | undefined }

/** Nobody knows what was meant: say everything, refuse nothing. */
const CAREFUL: ProjectSettings = { ...DEFAULT_PROJECT, admission: { ...DEFAULT_ADMISSION, enforce: 'warn' } }

/**
 * Reads the settings. A mistake ends the command, but not in a cluster: there a replica that restarts beside a broken
 * ConfigMap must not be the reason for an outage.
 */
export async function readFirstSettings(io: Io, given: ServeFlags): Promise<FirstSettings> {
  const ids = RULES.map(({ id }) => id)
  try {
    return { project: await loadProject(io, given.value('config'), ids), problem: undefined }
  } catch (error) {
    if (!(error instanceof InputError) || !io.env.KUBERNETES_SERVICE_HOST) throw error
    return { project: CAREFUL, problem: error.message }
  }
}

/** Takes up new versions of the settings file, where there is one. Answers what ends that. */
export function followSettings({ cwd }: Io, given: ServeFlags, settings: SettingsHolder): () => void {
  const named = given.value('config')
  const path = named === undefined ? findSettings(cwd) : resolve(cwd, named)
  if (path === undefined) return () => {}
  return watchFiles(
    {
      paths: [path],
      onChange: ([text = '']) => settings.offer(text),
      onProblem: (error) => settings.refuse(reasonOf(error)),
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

/** Tells the cluster of settings that are not used; elsewhere the log is enough. */
export function createTeller(ownCluster: ServedWorld['ownCluster'], log: Log): (problem: string) => void {
  if (!ownCluster) return () => {}
  return (message) => {
    const event = { namespace: ownNamespace(), name: NAMES.config, reason: 'SettingsRefused', message, at: new Date() }
    void import('../../cluster/client/events.ts')
      .then(({ warnAboutConfigMap }) => warnAboutConfigMap(ownCluster, event))
      .catch((error: unknown) => log.warn({ error }, 'the event could not be written'))
  }
}
