/** What is made from the program and kept in the repository is what the program would make now. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { makePages } from '../../scripts/docs/pages.ts'
import { runCommand } from '../../scripts/docs/run-command.ts'
import { terminalPicture } from '../../scripts/docs/terminal-picture.ts'
import { chartPages } from '../../scripts/manifests/chart.ts'
import { dashboardPages } from '../../scripts/manifests/dashboard.ts'
import { kustomizePages } from '../../scripts/manifests/kustomize.ts'
import { meshChartPages } from '../../scripts/manifests/mesh-chart.ts'
import { readSettings } from '../../src/settings/file.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

it.each(await makePages())('made pages $path is up to date (npm run docs)', ({ path, text }) =>
  expect(read(path)).toBe(text),
)

it('holds no manifest that is made no more', () => {
  const made = [...kustomizePages(), ...chartPages(), ...meshChartPages(), ...dashboardPages()].map(({ path }) => path)
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const there = readdirSync(join(root, 'webhook-config'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  expect(there.sort()).toEqual(made.sort())
})

it('has every page in the list of pages, once', () => {
  const listed = [...read('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page)
  const pages = readdirSync(new URL('../../docs', import.meta.url)).filter((name) => name.endsWith('.md'))
  expect(listed.sort()).toEqual(pages.filter((name) => name !== 'README.md').sort())
})

describe('links', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const pages = ['.', 'docs'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => (name.endsWith('.md') ? [join(folder, name)] : [])),
  )
  /** The anchors of a page, as GitHub makes them of its headings. */
  const anchorsOf = (path: string) =>
    [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    )

  it.each(pages)('of %s lead somewhere', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
      ([, to = '', anchor]) => ({ to: to === '' ? page : join(dirname(page), to), anchor }),
    )
    const broken = links.filter(
      ({ to, anchor }) => !existsSync(join(root, to)) || (anchor !== undefined && !anchorsOf(to).includes(anchor)),
    )
    expect(broken).toEqual([])
  })
})

it('shows settings that are valid', () => {
  const ids = RULES.map(({ id }) => id)
  expect(readSettings(read('docs/settings-example.yaml'), ids)).toMatchObject({ ok: true })
})

it('the picture of a terminal places every run of characters at its column and colours it', () => {
  const picture = terminalPicture('a \x1b[1;31mb<c\x1b[22;39m d', 'title & more')
  expect(picture).toContain('>a</text>')
  expect(picture).toMatch(/x="36" [^>]*fill="#ff7a75" font-weight="bold">b&lt;c<\/text>/)
  expect(picture).toMatch(/x="68" [^>]*fill="#d5dbe5">d<\/text>/)
  expect(picture).toContain('<title>title &amp; more</title>')
})

/** The page about `sluice effective` names every member of its JSON, and shows its real output. */

const page = readFileSync(new URL('../../docs/effective.md', import.meta.url), 'utf8')

/** The names of all members of a value, at any depth. */
function memberNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(memberNames)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...memberNames(inner)])
}

it.each(['HTTPRoute/coffee', 'Gateway/storefront'])('names every member for %s', async (query) => {
  const { stdout } = await runCommand(['effective', query, 'examples/shop', '--format', 'json'])
  const names = [...new Set(memberNames(JSON.parse(stdout)))]
  expect(names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name}[]\``))).toEqual([])
})

it('shows commands that work, and the output of the first', async () => {
  const commands = [...page.matchAll(/^sluice (.+)$/gm)].map(([, argv = '']) => argv.split(' '))
  expect(commands).toHaveLength(3)
  for (const argv of commands) expect(await runCommand(argv)).toMatchObject({ code: 0, stderr: '' })
  const [first = []] = commands
  expect(page).toContain(`\n\`\`\`\n${(await runCommand(first)).stdout}\`\`\`\n`)
})
