/** Reads the text of a settings file. */
import { readSettings as readText } from '../settings/file.ts'
import type { ProjectSettings } from '../settings/settings.ts'
import { problemsOf, string } from './check.ts'
import { RULE_IDS } from './input.ts'
import { failure, guarded, type Result, success } from './result.ts'

/**
 * Reads the text of a `sluice.config.yaml`, or says everything that is wrong with it, with line and column. The member
 * `settings` of its value is for the option `settings`; the others are about files and the webhook.
 */
export function readSettings(text: string): Result<ProjectSettings> {
  return guarded(() => {
    const problems = problemsOf(string, text, 'text')
    if (problems.length > 0) return failure(...problems)
    const outcome = readText(text, RULE_IDS)
    return outcome.ok ? success(outcome.project) : failure(...outcome.problems)
  })
}
