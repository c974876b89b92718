/** What the runner of GitHub reads from a step: commands in its log, and files for its summary and outputs. */
import { appendFileSync } from 'node:fs'
import { EOL } from 'node:os'

/** A command ends with its line. The runner decodes these escapes. */
const escapeData = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const annotate = (kind, text) => process.stdout.write(`::${kind} title=sluice::${escapeData(text)}${EOL}`)

/** Prints an annotation for a failure. */
export const fail = (text) => annotate('error', text)

/** Prints an annotation for something that the user should know. */
export const warn = (text) => annotate('warning', text)

/** Prints a line in the log, which cannot be taken for a command. */
export const print = (text) => process.stdout.write(`sluice: ${text.replace(/[\r\n]+/g, ' ')}${EOL}`)

/** Adds Markdown to the summary of the job. */
export function appendSummary(text) {
  if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, text)
}

/** Sets outputs of the step: numbers and paths of one line. */
export function writeOutputs(outputs) {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}${EOL}`)
  if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, lines.join(''))
}
