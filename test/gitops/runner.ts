/** Runs action.yml as GitHub's runner would: its steps by bash, with the files and variables that a step gets. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { createFolder } from '../files/folder.ts'
import { ROOT, shell } from './shell.ts'

type Input = { readonly description: string; readonly default?: string }
type Step = {
  readonly id: string
  readonly shell: string
  readonly run: string
  readonly env: Readonly<Record<string, string>>
}

/** As far as the tests look into it. */
export type Action = {
  readonly name: string
  readonly description: string
  readonly inputs: Readonly<Record<string, Input>>
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}

export const readAction = (folder = ROOT): Action =>
  JSON.parse(JSON.stringify(load(readFileSync(join(folder, 'action.yml'), 'utf8'))))

export type Run = {
  /** What is checked out. */
  readonly workspace: string
  readonly event: { readonly name: string; readonly payload: unknown }
  readonly with?: Readonly<Record<string, string>>
  /** Where the action lies. */
  readonly action?: string
  readonly env?: Readonly<Record<string, string>>
  /** Programs to find first; default: the Node that runs the tests. */
  readonly programs?: Readonly<Record<string, string>>
  readonly isBare?: boolean
}

/** What a run leaves behind. */
export type Ran = {
  readonly status: number | null
  readonly log: string
  readonly summary: string
  readonly outputs: Readonly<Record<string, string>>
}

/** Runs the steps one after another until one fails. */
export function runAction({ workspace, event, with: given = {}, action: folder = ROOT, env = {}, ...found }: Run): Ran {
  const action = readAction(folder)
  const unknown = Object.keys(given).filter((name) => !(name in action.inputs))
  if (unknown.length > 0) throw new Error(`no inputs of action.yml: ${unknown.join(', ')}`)
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [`inputs.${name}`, given[name] ?? input.default ?? '']),
  )
  const known: Record<string, string> = { ...inputs }
  const files = createRunnerFiles(event.payload)
  const log: string[] = []
  let status: number | null = 0
  for (const step of action.runs.steps) {
    if (step.shell !== 'bash') throw new Error(`this runner knows bash only, not ${step.shell}`)
    const output = join(files.temp, `output-${step.id}`)
    writeFileSync(output, '')
    const ran = shell(`exec 2>&1\n${step.run}`, {
      cwd: workspace,
      programs: { node: process.execPath },
      ...found,
      env: {
        ...surroundings(workspace, folder, event.name),
        GITHUB_EVENT_PATH: files.event,
        GITHUB_STEP_SUMMARY: files.summary,
        GITHUB_OUTPUT: output,
        RUNNER_TEMP: files.temp,
        ...Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, fill(value, known)])),
        ...env,
      },
    })
    log.push(ran.stdout, ran.stderr)
    status = ran.status
    for (const [, name, value = ''] of readFileSync(output, 'utf8').matchAll(/^([\w-]+)=(.*)$/gm))
      known[`steps.${step.id}.outputs.${name}`] = value
    if (status !== 0) break
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, fill(value, known)])
  return {
    status,
    log: log.join(''),
    summary: readFileSync(files.summary, 'utf8'),
    outputs: Object.fromEntries(outputs),
  }
}

function createRunnerFiles(payload: unknown) {
  const temp = join(createFolder(), '_temp')
  mkdirSync(temp)
  const files = { temp, event: join(temp, 'event.json'), summary: join(temp, 'summary.md') }
  writeFileSync(files.event, JSON.stringify(payload))
  writeFileSync(files.summary, '')
  return files
}

const surroundings = (workspace: string, action: string, eventName: string): Readonly<Record<string, string>> => ({
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_ACTION_PATH: action,
  GITHUB_EVENT_NAME: eventName,
  GITHUB_WORKSPACE: workspace,
  ...(existsSync(join(workspace, '.git')) ? { GITHUB_SHA: headOf(workspace) } : {}),
})

const headOf = (workspace: string): string =>
  shell('git rev-parse HEAD 2> /dev/null || true', { cwd: workspace, programs: {} }).stdout.trim()

/** Puts in what expressions mean; only plain names are used, so that nothing needs an evaluator. */
const fill = (text: string, known: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{\{\s*(.+?)\s*\}\}/g, (_, name: string) => {
    const isOutput = name.startsWith('steps.')
    if (!isOutput && known[name] === undefined) throw new Error(`this runner does not know \${{ ${name} }}`)
    return known[name] ?? ''
  })
