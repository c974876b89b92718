/** `npm run fuzz`: random inputs for everything that reads what others wrote. Exit code 1: something does not hold. */
import { createHash, randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { nearest } from '../src/text/nearest.ts'
import { type Find, fuzz, problemsOf } from './core/campaign.ts'
import type { Input, Target } from './core/target.ts'
import { TARGETS } from './targets.ts'

const FINDS = fileURLToPath(new URL('finds/', import.meta.url))

const HELP = `usage: npm run fuzz -- [--seconds N] [--seed S] [--target NAME …] [--replay FILE …]

Makes random inputs, and checks what must hold for each. What does not is written to
fuzz/finds/, as small as it could be made.

  --seconds N    for all targets together; default: 120
  --seed S       the same inputs as in another run; default: a new seed, which is printed
  --target NAME  only this target; may be repeated
  --replay FILE  checks an input of fuzz/finds/ again, and makes no others; may be repeated

Targets:
${TARGETS.map(({ name, reads }) => `  ${name.padEnd(16)}${reads}`).join('\n')}

Examples:
  npm run fuzz
  npm run fuzz -- --seconds 600 --target objects --target admission
  npm run fuzz -- --seed 20261122
  npm run fuzz -- --replay fuzz/finds/objects-1f2e3d4c.json`

/** What is wrong with the command line: one line. */
class UsageError extends Error {}

function targetNamed(name: string): Target {
  const names = TARGETS.map((target) => target.name)
  const target = TARGETS[names.indexOf(name)]
  if (target) return target
  const meant = nearest(name, names)
  throw new UsageError(
    `no target "${name}"; ${meant === undefined ? `targets are ${names.join(', ')}` : `did you mean "${meant}"?`}`,
  )
}

function numberOf(flag: string, written: string, least: number, most: number): number {
  const number = Number(written)
  if (/^\d+$/.test(written) && number >= least && number <= most) return number
  throw new UsageError(`--${flag} is "${written}"; expected a whole number from ${least} to ${most}`)
}

/** Writes a find, and returns the path of its file. */
function written(find: Find): string {
  mkdirSync(FINDS, { recursive: true })
  const text = `${JSON.stringify(find, undefined, 2)}\n`
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8)
  const path = `${FINDS}${find.target}-${digest}.json`
  writeFileSync(path, text)
  return relative(process.cwd(), path)
}

const shortened = (text: string): string => (text.length > 600 ? `${text.slice(0, 600)}…` : text)

async function runTargets(targets: readonly Target[], seed: number, seconds: number): Promise<boolean> {
  console.log(`seed ${seed}\n\n| target | inputs | inputs per second | finds |\n|---|---|---|---|`)
  const all: Find[] = []
  for (const target of targets) {
    const { inputs, milliseconds, finds } = await fuzz(target, seed, (seconds * 1000) / targets.length)
    const rate = Math.round(inputs / (milliseconds / 1000))
    console.log(`| ${target.name} | ${inputs} | ${rate} | ${finds.length} |`)
    all.push(...finds)
  }
  for (const find of all) {
    const path = written(find)
    console.log(`\n${find.target}: ${find.what}\n${shortened(find.detail)}`)
    console.log(`again: npm run fuzz -- --replay ${path}`)
    console.log(`from the seed: npm run fuzz -- --seed ${seed} --target ${find.target}`)
  }
  return all.length > 0
}

async function replay(path: string): Promise<boolean> {
  const { target: name, input }: { target: string; input: Input } = JSON.parse(readFileSync(path, 'utf8'))
  const opened = await targetNamed(name).open()
  opened.prepare?.([input])
  const problems = [...(await problemsOf(opened, input)), ...((await opened.close?.()) ?? [])]
  console.log(`${path}: ${problems.length === 0 ? 'everything holds' : ''}`)
  for (const { what, detail } of problems) console.log(`${what}\n${detail}`)
  return problems.length > 0
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '120' },
      seed: { type: 'string', default: String(randomInt(2 ** 32)) },
      target: { type: 'string', multiple: true, default: TARGETS.map(({ name }) => name) },
      replay: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  let isBroken = false
  for (const path of values.replay) isBroken = (await replay(path)) || isBroken
  if (values.replay.length === 0) {
    const seconds = numberOf('seconds', values.seconds, 1, 1_000_000)
    const seed = numberOf('seed', values.seed, 0, 2 ** 32 - 1)
    isBroken = await runTargets(values.target.map(targetNamed), seed, seconds)
  }
  return isBroken ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error)
  console.error(isUsage ? `${error.message}\nnpm run fuzz -- --help shows how it is used` : error)
  process.exitCode = 2
}
