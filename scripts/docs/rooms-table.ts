/** The table of rooms in ARCHITECTURE.md, from the import law. */

type Room = {
  readonly name: string
  readonly holds: string
  readonly at: string
  readonly may: readonly string[]
  readonly uses?: readonly string[]
}

const START = '<!-- rooms: made by `npm run docs` from .dependency-cruiser.mjs -->\n'
const END = '<!-- end of rooms -->'

const LAW = new URL('../../.dependency-cruiser.mjs', import.meta.url)

/** Replaces the table between the marks on a page. Throws where the marks are missing. */
export async function withRooms(page: string): Promise<string> {
  const { ROOMS }: { readonly ROOMS: readonly Room[] } = await import(LAW.href)
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start < 0 || end < start) throw new Error('ARCHITECTURE.md has lost the marks of its table of rooms')
  const rows = ROOMS.map(({ at, holds, may, uses = [] }) => {
    const tools = uses.map((name) => (name === 'node:' ? 'modules of Node' : `\`${name}\``))
    return `| \`${pathOf(at)}\` | ${holds} | ${may.join(', ') || 'nothing'} | ${tools.join(', ')} |`
  })
  const table = ['| room | what lives there | may import | may use |', '|---|---|---|---|', ...rows, ''].join('\n')
  return page.slice(0, start + START.length) + table + page.slice(end)
}

/** The path that a pattern stands for: `^src/limits/` is `src/limits/`. What a lookahead excludes is a room of its own. */
const pathOf = (pattern: string): string =>
  pattern
    .replace(/^\^|\$$/g, '')
    .replace(/\(\?!.*\)/, '')
    .replaceAll('\\', '')
