/** What GitHub's runner reads of a step: commands in its log, and files for summary and outputs. */
import { appendFileSync } from 'node:fs'
import { EOL } from 'node:os'

/** A command's text ends with its line; the runner turns these back. */
const escapeData = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const annotate = (kind, text) => process.stdout.write(`::${kind} title=sluice::${escapeData(text)}${EOL}`)

/** An annotation that goes with a failure. */
export const fail = (text) => annotate('error', text)

/** An annotation of something that the user should know. */
export const warn = (text) => annotate('warning', text)

/** A line in the log, which cannot be taken for a command. */
export const say = (text) => process.stdout.write(`sluice: ${text.replace(/[\r\n]+/g, ' ')}${EOL}`)

/** Adds Markdown to the page of the job. */
export function appendSummary(text) {
  if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, text)
}

/** Sets outputs of the step: numbers and paths of one line. */
export function writeOutputs(outputs) {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}${EOL}`)
  if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, lines.join(''))
}
