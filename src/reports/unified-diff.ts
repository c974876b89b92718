/** Changes of files as `patch` and `git apply` take them. */
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff'
import { escapeUnsafe } from './characters.ts'
import type { Paint, Role } from './style.ts'

/** A file and its text before and after. */
export type ChangedFile = { readonly file: string; readonly before: string; readonly after: string }

const CONTEXT = 3

/** Renders changes as one unified diff, with names below `a/` and `b/` as Git has them. */
export const unifiedDiff = (files: readonly ChangedFile[]): string => files.map(fileDiff).join('')

function fileDiff({ file, before, after }: ChangedFile): string {
  const [from, to] = [`a/${file}`, `b/${file}`]
  const patch = structuredPatch(from, to, before, after, undefined, undefined, { context: CONTEXT })
  const [first = '', second = '', ...rest] = formatPatch(patch, FILE_HEADERS_ONLY).split('\n')
  return [endName(first), endName(second), ...rest].join('\n')
}

/** A name with a space ends with a tab, or `patch` takes what follows the space for a date. */
const endName = (header: string): string => (/^(?:---|\+\+\+) [^"].* /.test(header) ? `${header}\t` : header)

const ROLES: readonly (readonly [beginning: RegExp, role: Role])[] = [
  [/^(?:---|\+\+\+) /, 'strong'],
  [/^@@/, 'help'],
  [/^\+/, 'good'],
  [/^-/, 'bad'],
]

/** A diff for a reader at a terminal: painted, and without characters that would steer it. No program takes it. */
export const showDiff = (diff: string, paint: Paint): string =>
  diff
    .split('\n')
    .map((line) => {
      const role = ROLES.find(([beginning]) => beginning.test(line))?.[1]
      const shown = line
        .replace(/[\r\t]+$/, '')
        .split('\t')
        .map(escapeUnsafe)
        .join('\t')
      return role ? paint(role, shown) : shown
    })
    .join('\n')
