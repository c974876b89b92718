/** The rooms of the import law, by group, and their table in ARCHITECTURE.md. */

export type Room = {
  readonly name: string
  readonly holds: string
  readonly at: string
  readonly may: readonly string[]
  readonly uses: readonly string[]
}

export type Group = { readonly name: string; readonly about: string; readonly rooms: readonly Room[] }

const START = '<!-- rooms: made by `npm run docs` from .dependency-cruiser.mjs -->\n'
const END = '<!-- end of rooms -->'

const LAW = new URL('../../.dependency-cruiser.mjs', import.meta.url)

/** The groups of the law, each with its rooms in the order of the law. */
export async function readGroups(): Promise<readonly Group[]> {
  const { GROUPS }: { readonly GROUPS: readonly Group[] } = await import(LAW.href)
  return GROUPS
}

/** Replaces the table between the marks on a page. Throws where the marks are missing. */
export function withRooms(page: string, groups: readonly Group[]): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start < 0 || end < start) throw new Error('ARCHITECTURE.md has lost the marks of its table of rooms')
  const rows = groups.flatMap(({ name, rooms }) =>
    rooms.map(({ at, holds, uses }, index) => {
      const group = index === 0 ? `**${name}**` : ''
      return `| ${group} | \`${pathOf(at)}\` | ${holds} | ${toolsOf(uses)} |`
    }),
  )
  const table = ['| group | room | what lives there | uses |', '|---|---|---|---|', ...rows, ''].join('\n')
  return page.slice(0, start + START.length) + table + page.slice(end)
}

/** The packages of a room, those of one scope as one. */
const toolsOf = (uses: readonly string[]): string =>
  [
    ...new Set(uses.map((name) => (name === 'node:' ? 'Node' : `\`${name.replace(/^(@codemirror)\/.*/, '$1/*')}\``))),
  ].join(', ')

/** The path that a pattern stands for: `^src/limits/` is `src/limits/`. What a lookahead excludes is a room of its own. */
const pathOf = (pattern: string): string =>
  pattern
    .replace(/^\^|\$$/g, '')
    .replace(/\(\?!.*\)/, '')
    .replaceAll('\\', '')
