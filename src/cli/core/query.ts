/** How a command that asks something about manifests runs: it reads them, asks, says what is left out, and prints the answer. */
import type { NotJudged } from '../../project/source.ts'
import type { QueryResult } from '../../queries/find.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Args } from './flags.ts'
import { finish, type INPUT_FLAGS, type Inputs, readChoice, readInputs, reportLeftOut } from './inputs.ts'
import { InputError, type Io } from './io.ts'
import { wantsColor } from './terminal.ts'

/** How an answer is shown. */
type Shown<Format extends string> = {
  readonly format: Format
  readonly inputs: Inputs
  /** All that was left out, as the JSON of commands lists it. */
  readonly notJudged: readonly NotJudged[]
  /** Prints the text of the format that the user chose: as JSON, where it is `json`. */
  print(texts: Readonly<Record<Format, (page: Page) => string>>): void
}

/** What a text for people is printed on. */
type Page = { readonly color: boolean; readonly width: number | undefined; readonly isTerminal: boolean }

/** What a command asks. */
export type Question<Format extends string, Answer> = {
  readonly paths: readonly string[]
  /** The values of `--format`; the first is the default. */
  readonly formats: readonly [Format, ...Format[]]
  ask(inputs: Inputs): QueryResult<Answer> | Promise<QueryResult<Answer>>
  /** What of the manifests the answer leaves out. */
  leftOut(answer: Answer): readonly NotJudged[]
  show(answer: Answer, shown: Shown<Format>): void | Promise<void>
}

/** Asks, and returns the exit code. Throws {@link InputError}, also for a question that has no answer. */
export async function runQuery<Format extends string, Answer>(
  io: Io,
  args: Args<keyof typeof INPUT_FLAGS | 'format'>,
  { paths, formats, ask, leftOut, show }: Question<Format, Answer>,
): Promise<number> {
  const format = readChoice('format', args.value('format'), formats)
  const page = {
    color: wantsColor(args.value('color'), io.stdout, io),
    width: io.stdout.columns,
    isTerminal: io.stdout.isTTY,
  }
  const inputs = await readInputs(io, args, paths)
  const result = await ask(inputs)
  const notJudged = reportLeftOut(result.ok ? leftOut(result.value) : (result.notJudged ?? []), inputs, io)
  if (!result.ok) throw new InputError(escapeUnsafe(result.problem))
  await show(result.value, {
    format,
    inputs,
    notJudged,
    print: (texts) => io.stdout.write(texts[format](page), format === 'json' ? 'json' : undefined),
  })
  return finish(io, inputs.collected)
}
