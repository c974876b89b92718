/** Follows the steps of a Dockerfile without an engine: each stage is a folder, and its base image is this machine. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { network } from './network.ts'

/** What an image is, once made. */
export type Image = {
  /** Its file system. */
  readonly folder: string
  readonly user: string
  readonly env: Readonly<Record<string, string>>
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
}

type Stage = {
  folder: string
  workdir: string
  user: string
  env: Record<string, string>
  lists: Map<string, readonly string[]>
}

/** One instruction in one line. Throws for what it does not know, so that nothing is passed over. */
type Instruction = { readonly name: string; readonly rest: string }

/** The instructions of a text, with continued lines joined. */
export const instructionsOf = (text: string): readonly Instruction[] =>
  text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({ name: line.slice(0, line.indexOf(' ')), rest: line.slice(line.indexOf(' ') + 1).trim() }))

/** Follows all steps below `folder`, taking files from `context`. Throws with the output of a step that fails. */
export function buildImage(text: string, { context, folder }: { context: string; folder: string }): Image {
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const { name, rest } of instructionsOf(text)) {
    if (name === 'FROM') {
      const alias = / AS (\w+)$/.exec(rest)?.[1] ?? 'image'
      stage = { folder: join(folder, alias), workdir: '/', user: '', env: {}, lists: new Map() }
      mkdirSync(stage.folder)
      stages.set(alias, stage)
    } else if (stage) follow({ name, rest }, stage, { context, stages })
  }
  if (!stage) throw new Error('a Dockerfile begins with FROM')
  const { lists, user, env } = stage
  return { folder: stage.folder, user, env, entrypoint: lists.get('ENTRYPOINT') ?? [], command: lists.get('CMD') ?? [] }
}

type Around = { readonly context: string; readonly stages: ReadonlyMap<string, Stage> }

function follow({ name, rest }: Instruction, stage: Stage, around: Around): void {
  if (name === 'WORKDIR') {
    stage.workdir = rest
    mkdirSync(join(stage.folder, rest), { recursive: true })
  } else if (name === 'COPY') copy(rest, stage, around)
  else if (name === 'RUN') run(rest, stage)
  else if (name === 'USER') stage.user = rest
  else if (name === 'ENV') stage.env[rest.slice(0, rest.indexOf('='))] = rest.slice(rest.indexOf('=') + 1)
  else if (name === 'ENTRYPOINT' || name === 'CMD') stage.lists.set(name, JSON.parse(rest))
  else if (name !== 'EXPOSE') throw new Error(`the instruction ${name} is not known here`)
}

function copy(rest: string, { folder, workdir }: Stage, { context, stages }: Around): void {
  const [, from, paths = ''] = /^(?:--from=(\w+) )?(.+)$/.exec(rest) ?? []
  const words = paths.split(' ')
  const target = words.at(-1) ?? ''
  const source = from === undefined ? context : stages.get(from)?.folder
  if (source === undefined) throw new Error(`there is no stage ${from}`)
  const into = target.startsWith('/') ? join(folder, target) : join(folder, workdir, target)
  for (const word of words.slice(0, -1)) {
    const path = join(source, word)
    const place = statSync(path).isDirectory() ? into : target.endsWith('/') ? join(into, basename(word)) : into
    mkdirSync(dirname(place), { recursive: true })
    cpSync(path, place, { recursive: true, verbatimSymlinks: true })
  }
}

function run(line: string, { folder, workdir, env }: Stage): void {
  const path = [
    dirname(process.execPath),
    '/usr/local/sbin',
    '/usr/local/bin',
    '/usr/sbin',
    '/usr/bin',
    '/sbin',
    '/bin',
  ]
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], {
    cwd: join(folder, workdir),
    env: { ...network(), ...env, PATH: path.join(':') },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`RUN ${line} ended with ${status}:\n${stdout}${stderr}`)
}
