/** Mends files: judged texts in, written files and what remains out. */
import { resolve } from 'node:path'
import { STDIN } from '../../files/discover/stdin.ts'
import { type Rewrite, rewriteFiles } from '../../files/write/rewrite-files.ts'
import { type LeftFinding, type MendedTexts, mendTexts } from '../../lint/fix.ts'
import type { LintOutcome } from '../../lint/lint.ts'
import type { Source } from '../../project/source.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { createPaint } from '../../reports/style.ts'
import { decodeText } from '../../yaml/decode.ts'
import type { Io } from '../core/io.ts'
import type { Fixed, Fixing, Input, Judged } from './fix.ts'

/** Mends the texts of a run, and writes, prints or shows them. */
export async function runFixing(fixing: Fixing, { sources, outcome: first, judge }: Judged): Promise<Fixed> {
  const { kinds, isDry, isPiped, outer: io } = fixing
  const mended = mendTexts(sources, first, { kinds, judge })
  const changes = changesOf(sources, mended, io)
  const failed = new Set<string>()
  if (isDry) await show(changes, fixing, io)
  else if (isPiped) io.stdout.write(changes[0]?.after ?? textOf(fixing.input))
  else
    for (const { file, reason } of await rewriteFiles(changes)) {
      io.stderr.write(`sluice: ${escapeUnsafe(`${file}: ${reason}`)}\n`)
      failed.add(file)
    }
  tell(mended, { failed, isDry, first, kinds }, io)
  if (isDry) return { sources, outcome: first, hasFailed: false }
  if (failed.size === 0) return { ...mended, hasFailed: false }
  const now = mended.sources.map((source, index) => (failed.has(source.file) ? (sources[index] ?? source) : source))
  return { sources: now, outcome: judge(now), hasFailed: true }
}

/** The standard input where nothing in it is mended; nothing of it where that would not be all of it. */
function textOf({ chunks, isWhole }: Input): string {
  const { text, problem } = decodeText(Buffer.concat(chunks))
  return isWhole && !problem ? text : ''
}

function changesOf(before: readonly Source[], { sources }: MendedTexts, { cwd }: Io): readonly Rewrite[] {
  return sources.flatMap(({ file, text: after }, index) => {
    const text = before[index]?.text ?? after
    return text === after ? [] : [{ file, path: resolve(cwd, file), before: text, after }]
  })
}

/** Prints a diff; for a terminal, painted. */
async function show(changes: readonly Rewrite[], { color }: Fixing, { stdout }: Io): Promise<void> {
  const { showDiff, unifiedDiff } = await import('../../reports/unified-diff.ts')
  const diff = unifiedDiff(changes)
  stdout.write(stdout.isTTY || color ? showDiff(diff, createPaint(color)) : diff)
}

type Telling = Pick<Fixing, 'isDry' | 'kinds'> & { readonly failed: ReadonlySet<string>; readonly first: LintOutcome }

/** Says how much was mended, and what was not. */
function tell({ mended, left }: MendedTexts, { failed, isDry, first, kinds }: Telling, { stderr }: Io): void {
  const written = [...mended].filter(([file]) => !failed.has(file))
  const count = written.reduce((sum, [, findings]) => sum + findings, 0)
  const verb = isDry ? 'would fix' : 'fixed'
  const where = written.length === 1 && written[0]?.[0] === STDIN ? '' : ` in ${many(written.length, 'file')}`
  stderr.write(count === 0 ? 'nothing to fix\n' : `${verb} ${many(count, 'finding')}${where}\n`)
  for (const [reason, why] of Object.entries(WHY))
    tellLeft(
      left.filter((one) => one.reason === reason),
      why,
      stderr,
    )
  const more = [...first.mends].filter(([, { kind }]) => !kinds.has(kind)).length
  if (more > 0) stderr.write(`note: --fix=all would mend ${many(more, 'finding')} more, which may change behaviour\n`)
}

const WHY: Readonly<Record<LeftFinding['reason'], string>> = {
  shared: 'as an anchor would carry the change to other places',
  unsafe: 'as the text has no safe place for the change',
  later: 'as other changes are in the way',
}

/** So many places of one kind are named. */
const MOST_PLACES = 3

function tellLeft(left: readonly LeftFinding[], why: string, stderr: Io['stderr']): void {
  if (left.length === 0) return
  const places = left.slice(0, MOST_PLACES).map(({ finding: { file, line } }) => `${file}:${line}`)
  const rest = left.length > MOST_PLACES ? ` and ${left.length - MOST_PLACES} more` : ''
  stderr.write(`note: ${many(left.length, 'finding')} not fixed, ${why}: ${escapeUnsafe(places.join(', '))}${rest}\n`)
}

const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
