/** The settings in force: replaced whole by a better text, kept where the new one is broken. */

import { Counter, Gauge } from '@prometheus-io/client'
import type { AnyRule } from '../../engine/rule.ts'
import type { Log } from '../../http/log.ts'
import type { Metrics } from '../../http/metrics.ts'
import { readSettings } from '../../settings/file.ts'
import type { ProjectSettings } from '../../settings/project.ts'
import { createReviewer, type Reviewer } from './reviewer.ts'

export type SettingsHolder = {
  /** What judges by the settings in force. */
  reviewer(): Reviewer
  /** Takes the text of a settings file. */
  offer(text: string): void
  /** Says that there is no readable text now. */
  refuse(reason: string): void
}

export type HolderOptions = {
  readonly rules: readonly AnyRule[]
  readonly log: Log
  readonly metrics: Metrics
  /** Hears why a new version is not used. */
  onProblem(reason: string): void
}

/** Begins with the settings that a start has found. */
export function holdSettings(initial: ProjectSettings, options: HolderOptions): SettingsHolder {
  const { rules, log, metrics, onProblem } = options
  const ids = rules.map(({ id }) => id)
  let reviewer = createReviewer(initial, rules)
  let isValid = true
  const registers = [metrics]
  const reloads = new Counter({
    name: 'sluice_settings_reloads_total',
    help: 'New versions of the settings, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['applied', 'rejected']) reloads.inc({ outcome }, 0)
  new Gauge({
    name: 'sluice_settings_valid',
    help: '1 while the newest settings are in force, 0 while they are invalid and older ones are kept.',
    registers,
    collect() {
      this.set(Number(isValid))
    },
  })
  const refuse = (reason: string) => {
    isValid = false
    reloads.inc({ outcome: 'rejected' })
    log.error({ reason }, 'the written settings are not used; those in force stay')
    onProblem(reason)
  }
  return {
    reviewer: () => reviewer,
    refuse,
    offer(text) {
      const outcome = readSettings(text, ids)
      if (!outcome.ok) {
        refuse(
          outcome.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`).join('; '),
        )
        return
      }
      reviewer = createReviewer(outcome.project, rules)
      isValid = true
      reloads.inc({ outcome: 'applied' })
      log.info({ admission: outcome.project.admission }, 'new settings are in force')
    },
  }
}
