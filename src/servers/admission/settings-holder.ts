/** The settings in force: replaced as a whole by a valid text, kept where the new text is invalid. */

import { Counter } from '@prometheus-io/client'
import { createReviewer, type Reviewer, type ReviewerOptions } from '../../admission/reviewer.ts'
import type { Log } from '../../http/log.ts'
import { type Metrics, registerGauge } from '../../http/metrics.ts'
import { type PolicyCheck, readSettings } from '../../settings/file.ts'
import type { ProjectSettings, Settings } from '../../settings/settings.ts'

export type SettingsHolder = {
  /** The reviewer of the settings in force. */
  reviewer(): Reviewer
  /** The settings in force. */
  project(): ProjectSettings
  /** Applies the text of a settings file, or rejects it. */
  apply(text: string): void
  /** Reports that the settings cannot be read now. */
  reject(reason: string): void
}

export type HolderOptions = {
  /** The rules without the policies of settings. */
  readonly rules: ReviewerOptions['rules']
  /** What objects are judged by with some settings. */
  withPolicies(settings: Settings): ReviewerOptions
  readonly errorsOfPolicies: PolicyCheck
  readonly log: Log
  readonly metrics: Metrics
  /** Called with the reason why a new version is not in force. */
  onProblem(reason: string): void
}

/** Starts with the settings found at the start. */
export function holdSettings(initial: ProjectSettings, options: HolderOptions): SettingsHolder {
  const { log, metrics, onProblem } = options
  const ids = options.rules.map(({ id }) => id)
  let project = initial
  let reviewer = createReviewer(project, options.withPolicies(project.settings))
  let isValid = true
  const reloads = new Counter({
    name: 'sluice_settings_reloads_total',
    help: 'New versions of the settings, by outcome.',
    labelNames: ['outcome'],
    registers: [metrics],
  })
  for (const outcome of ['applied', 'rejected']) reloads.inc({ outcome }, 0)
  registerGauge(
    metrics,
    {
      name: 'sluice_settings_valid',
      help: '1 while the newest settings are in force, 0 while they are invalid and older ones are kept.',
    },
    () => Number(isValid),
  )
  const reject = (reason: string) => {
    isValid = false
    reloads.inc({ outcome: 'rejected' })
    log.error({ reason }, 'the new settings are invalid; the old ones stay in force')
    onProblem(reason)
  }
  return {
    reviewer: () => reviewer,
    project: () => project,
    reject,
    apply(text) {
      const outcome = readSettings(text, ids, undefined, { errorsOfPolicies: options.errorsOfPolicies })
      if (!outcome.ok) {
        reject(
          outcome.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`).join('; '),
        )
        return
      }
      project = outcome.project
      reviewer = createReviewer(project, options.withPolicies(project.settings))
      isValid = true
      reloads.inc({ outcome: 'applied' })
      log.info({ admission: project.admission }, 'new settings are in force')
    },
  }
}
