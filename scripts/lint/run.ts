/**
 * `npm run lint`: every check of the code's form, two at a time; what fails prints its whole output at the end.
 * `npm run lint -- biome` runs one of them.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAMS = [join(ROOT, 'scripts/lint/node_modules/.bin'), join(ROOT, 'node_modules/.bin')]

/** The longest first. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  'regex-law': ['node', 'scripts/lint/regex-law.mjs'],
  types: ['tsc', '--noEmit'],
  'import-law': ['node', 'scripts/lint/import-law.mjs'],
  biome: ['biome', 'check', '.'],
  knip: ['knip'],
  'knip-production': ['knip', '--production'],
  'types-of-the-page': ['tsc', '--noEmit', '-p', 'src/studio'],
}

type Result = { readonly name: string; readonly output: string; readonly failed: boolean }

function run(name: string, [program = '', ...parameters]: readonly string[]): Promise<Result> {
  const env = { ...process.env, PATH: [...PROGRAMS, process.env.PATH].join(delimiter) }
  const child = spawn(program, parameters, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const keep = (chunk: unknown) => {
    output += chunk
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return new Promise((done) => {
    child.on('error', ({ message }) => done({ name, output: message, failed: true }))
    child.on('close', (status) => done({ name, output, failed: status !== 0 }))
  })
}

async function main(asked: readonly string[]): Promise<number> {
  const unknown = asked.find((name) => CHECKS[name] === undefined)
  if (unknown !== undefined) {
    console.error(`no check is called "${unknown}"; there are ${Object.keys(CHECKS).join(', ')}`)
    return 2
  }
  const waiting = Object.entries(CHECKS).filter(([name]) => asked.length === 0 || asked.includes(name))
  const failed: Result[] = []
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const result = await run(...next)
      console.log(`${result.failed ? 'failed' : 'passed'}  ${result.name}`)
      if (result.failed) failed.push(result)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  for (const { name, output } of failed) console.error(`\n== ${name}\n${output.trimEnd()}`)
  return failed.length > 0 ? 1 : 0
}

process.exitCode = await main(process.argv.slice(2))
