/** The inputs of the action, which action.yml passes in environment variables. */
import { resolve } from 'node:path'

/** An input that cannot be used: one line that says what to write. */
export class InputProblem extends Error {}

const FAIL_ON = ['error', 'warning', 'never']

/** Reads the inputs. Throws {@link InputProblem}. */
export function readInputs(env) {
  const failOn = readLine(env, 'fail-on') || 'error'
  if (!FAIL_ON.includes(failOn)) throw new InputProblem(`fail-on must be one of ${FAIL_ON.join(', ')}; got "${failOn}"`)
  return {
    /** At least one path. */
    paths: readLines(env, 'paths', ['.']),
    base: readLine(env, 'base'),
    config: readLine(env, 'config'),
    baseline: readLine(env, 'baseline'),
    sarif: readLine(env, 'sarif'),
    failOn,
    failOnUnjudged: readLine(env, 'fail-on-unjudged'),
    args: readLines(env, 'args', []),
    /** Absolute. */
    folder: resolve(env.GITHUB_WORKSPACE || '.', readLine(env, 'working-directory') || '.'),
  }
}

const read = (env, name) => env[`SLUICE_${name.toUpperCase().replaceAll('-', '_')}`] ?? ''

function readLine(env, name) {
  const text = read(env, name).trim()
  if (/[\r\n]/.test(text)) throw new InputProblem(`${name} must be one line; got ${JSON.stringify(text)}`)
  return text
}

function readLines(env, name, otherwise) {
  const lines = read(env, name)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length === 0 ? otherwise : lines
}
