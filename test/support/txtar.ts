/**
 * Text archives: several named files in one, as Go's `txtar` has them. A line `-- NAME --` begins a file, which ends at
 * the next such line; what stands before the first is a comment.
 */

/** A file of an archive. */
export type Part = { readonly name: string; readonly text: string }

/** A comment and files, in their order. */
export type Parts = { readonly comment: string; readonly parts: readonly Part[] }

/** A comment and files by name, in their order. */
export type Archive = { readonly comment: string; readonly files: ReadonlyMap<string, string> }

const HEAD = /^-- (.*) --$/

/** Reads an archive in which several files may have one name. */
export function readParts(text: string): Parts {
  const pieces = text.split(/^(?=-- .* --$)/m)
  const comment = HEAD.test(pieces[0]?.split('\n')[0] ?? '') ? '' : (pieces.shift() ?? '')
  const parts = pieces.map((piece) => {
    const [head = '', ...lines] = piece.split('\n')
    return { name: HEAD.exec(head)?.[1] ?? '', text: lines.join('\n') }
  })
  return { comment, parts }
}

/** Reads an archive. Throws where two files have one name. */
export function readArchive(text: string): Archive {
  const { comment, parts } = readParts(text)
  const files = new Map<string, string>()
  for (const part of parts) {
    if (files.has(part.name)) throw new Error(`the archive has two files ${part.name}`)
    files.set(part.name, part.text)
  }
  return { comment, files }
}

/** Writes files as an archive has them. */
export const printParts = (parts: readonly Part[]): string =>
  parts.map(({ name, text }) => `-- ${name} --\n${text}`).join('')

/** Writes an archive. */
export const printArchive = ({ comment, files }: Archive): string =>
  comment + printParts([...files].map(([name, text]) => ({ name, text })))
