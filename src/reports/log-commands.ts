/** Keeps texts of manifests from being read as commands by GitHub's runner, which reads a job's log for them. */
import type { Syntax } from './lint/reporter.ts'

/**
 * The runner obeys `##[command]` anywhere in a line, and `::command::` where a line begins. A bracket that is written
 * otherwise means the same to whoever reads the format.
 */
const BRACKETS: Readonly<Record<Exclude<Syntax, 'commands'>, string>> = {
  text: '\\x5b',
  json: '\\u005b',
  xml: '&#91;',
  markdown: '&#91;',
}

/** A report as it may stand in a log. */
export function escapeLogCommands(rendered: string, syntax: keyof typeof BRACKETS): string {
  const inert = rendered.replaceAll('##[', `##${BRACKETS[syntax]}`)
  return syntax === 'text' ? inert.replace(/^(\s*):(?=:)/gm, '$1\\x3a') : inert
}
