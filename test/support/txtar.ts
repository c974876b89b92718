/**
 * Text archives: several named files in one, as Go's `txtar` has them. A line `-- NAME --` begins a file, which ends at
 * the next such line; what stands before the first is a comment.
 */

/** A comment and files by name, in their order. */
export type Archive = { readonly comment: string; readonly files: ReadonlyMap<string, string> }

const HEAD = /^-- (.*) --$/

/** Reads an archive. Throws where two files have one name. */
export function readArchive(text: string): Archive {
  const parts = text.split(/^(?=-- .* --$)/m)
  const comment = HEAD.test(parts[0]?.split('\n')[0] ?? '') ? '' : (parts.shift() ?? '')
  const files = new Map<string, string>()
  for (const part of parts) {
    const [head = '', ...lines] = part.split('\n')
    const name = HEAD.exec(head)?.[1] ?? ''
    if (files.has(name)) throw new Error(`the archive has two files ${name}`)
    files.set(name, lines.join('\n'))
  }
  return { comment, files }
}

/** Writes an archive. */
export const printArchive = ({ comment, files }: Archive): string =>
  comment + [...files].map(([name, text]) => `-- ${name} --\n${text}`).join('')
