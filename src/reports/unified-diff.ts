/** Changes of files as a unified diff, which `patch` and `git apply` accept. */

import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff'
import { withoutEnd } from '../text/trim.ts'
import { escapeUnsafe } from './characters.ts'
import type { Paint, Role } from './style.ts'

/** A file with its text before and after a change. */
type ChangedFile = { readonly file: string; readonly before: string; readonly after: string }

/** Unchanged lines around a change. */
const CONTEXT = 3

/** One unified diff of all changes, with the prefixes `a/` and `b/` of Git. */
export const unifiedDiff = (files: readonly ChangedFile[]): string => files.map(fileDiff).join('')

function fileDiff({ file, before, after }: ChangedFile): string {
  const [from, to] = [`a/${file}`, `b/${file}`]
  const patch = structuredPatch(from, to, before, after, undefined, undefined, { context: CONTEXT })
  const [first = '', second = '', ...rest] = formatPatch(patch, FILE_HEADERS_ONLY).split('\n')
  return [endName(first), endName(second), ...rest].join('\n')
}

/** A name with a space ends with a tab: else `patch` takes the part after the space for a date. */
const endName = (header: string): string => (/^(?:---|\+\+\+) [^"].* /.test(header) ? `${header}\t` : header)

const ROLES: readonly (readonly [beginning: RegExp, role: Role])[] = [
  [/^(?:---|\+\+\+) /, 'strong'],
  [/^@@/, 'help'],
  [/^\+/, 'good'],
  [/^-/, 'bad'],
]

/** A diff for a terminal: coloured, and with control characters written out. Not for programs. */
export const showDiff = (diff: string, paint: Paint): string =>
  diff
    .split('\n')
    .map((line) => {
      const role = ROLES.find(([beginning]) => beginning.test(line))?.[1]
      const shown = withoutEnd(line, '\r\t').split('\t').map(escapeUnsafe).join('\t')
      return role ? paint(role, shown) : shown
    })
    .join('\n')
