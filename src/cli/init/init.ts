/** `sluice init`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { foldersAbove, shownPath } from '../../files/paths.ts'
import { type FileToWrite, writeFolder } from '../../files/write/new-files.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { type Command, command } from '../core/command.ts'
import type { Args, Flags } from '../core/flags.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { hookFile, SETTINGS, workflowFile } from './templates.ts'

const FLAGS = {
  hook: { value: 'URL', isOptional: true, summary: 'a hook of pre-commit; URL: the Git repository of sluice' },
  workflow: { value: 'ACTION', isOptional: true, summary: 'a workflow of GitHub; ACTION: OWNER/REPO@REF of sluice' },
  force: { summary: 'overwrite files that exist' },
} as const satisfies Flags

/** `sluice init`. */
export const initCommand: Command = command({
  name: 'init',
  summary: 'write settings, and on request a hook and a workflow',
  usage: '[flags]',
  details: `Writes sluice.config.yaml here, with all settings and comments. The other files,
.pre-commit-config.yaml and .github/workflows/sluice.yml, belong to the top of
the Git repository; on a terminal sluice asks for them. Without URL and ACTION
they run the sluice that package.json names. A file that exists is kept, unless
--force is set.`,
  flags: FLAGS,
  examples: [
    { line: 'sluice init', does: 'settings; on a terminal it asks for the rest' },
    { line: 'sluice init --hook --workflow', does: 'everything, without a question' },
    {
      line: 'sluice init --workflow=your-org/sluice@v0',
      does: 'a workflow that uses the action of sluice',
    },
  ],
  run: (io, args) => {
    const [surplus] = args.positionals
    if (surplus !== undefined) throw new InputError(`"sluice init" writes into the current folder; got "${surplus}"`)
    const { hook, workflow } = readWish(io, args)
    const top = topOf(io.cwd)
    const wanted = [
      { folder: io.cwd, file: SETTINGS },
      ...(hook === undefined ? [] : [{ folder: top, file: hookFile(hook) }]),
      ...(workflow === undefined ? [] : [{ folder: top, file: workflowFile(workflow) }]),
    ]
    for (const { folder, file } of wanted) writeOne(folder, file, { io, isForced: args.has('force') })
    io.onWork?.()
    return EXIT.clean
  },
})

/** Which files are wanted beside the settings; undefined: not this one. Asks on a terminal where no flag says it. */
function readWish(io: Io, args: Args<keyof typeof FLAGS>) {
  const [hook, workflow] = [args.value('hook'), args.value('workflow')]
  if (hook !== undefined && !/^(?:[\w.+:/@~-]+)?$/.test(hook))
    throw new InputError(`--hook=${hook}: expected the URL of a Git repository`)
  if (workflow !== undefined && !/^(?:[\w.-]+(?:\/[\w.-]+)+@[\w./-]+)?$/.test(workflow))
    throw new InputError(`--workflow=${workflow}: expected OWNER/REPO@REF, such as your-org/sluice@v0`)
  if (hook !== undefined || workflow !== undefined || !io.stdout.isTTY) return { hook, workflow }
  const answers = lines(io.stdin)
  const ask = (question: string): string | undefined => {
    io.stdout.write(`${question} [y/N] `)
    return /^\s*y(?:es)?\s*$/i.test(answers.next().value ?? '') ? '' : undefined
  }
  return {
    hook: ask('Write a hook of pre-commit that lints changed manifests?'),
    workflow: ask('Write a workflow of GitHub Actions that lints pull requests?'),
  }
}

/** The lines of a stream, each as soon as it is there. */
function* lines(stdin: Io['stdin']): Generator<string, undefined> {
  let text = ''
  for (const chunk of stdin) {
    text += new TextDecoder().decode(chunk)
    const [rest = '', ...whole] = text.split('\n').reverse()
    text = rest
    yield* whole.reverse()
  }
  if (text !== '') yield text
}

/** The top of the Git repository; the folder itself outside of one. */
function topOf(folder: string): string {
  return [folder, ...foldersAbove(folder)].find((above) => existsSync(join(above, '.git'))) ?? folder
}

type Writing = { readonly io: Io; readonly isForced: boolean }

/** Writes a file and says so; one that exists is kept. Throws {@link InputError}. */
function writeOne(folder: string, file: FileToWrite, { io, isForced }: Writing): void {
  const shown = escapeUnsafe(shownPath(join(folder, file.path), io.cwd))
  if (existsSync(join(folder, file.path)) && !isForced) {
    io.stdout.write(`kept ${shown}, which exists: --force overwrites it\n`)
    if (file.path === '.pre-commit-config.yaml') io.stdout.write(`its hook would be:\n\n${file.text}\n`)
    return
  }
  const written = writeFolder(folder, [file], io.cwd)
  if ('problem' in written) throw new InputError(escapeUnsafe(`${shown}: ${written.problem.reason}`))
  io.stdout.write(`wrote ${shown}\n`)
}
