/**
 * Worlds to render: `test/fixtures/render/*.yaml`, found, not listed. Each line `# render: {composition: inherit}` at the
 * beginning asks for one rendering; `NAME.out` beside it holds all of them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { load } from 'js-yaml'
import type { FabricVersion } from '../src/fabric/releases.ts'
import type { QueryResult } from '../src/queries/find.ts'
import { queryRender, type RenderResult } from '../src/queries/render.ts'
import { DEFAULT_SETTINGS } from '../src/settings/settings.ts'

const FOLDER = fileURLToPath(new URL('./fixtures/render/', import.meta.url))

/** How a world is rendered; what is absent is that of `sluice render` without options. */
export type Wish = {
  /** A whole nginx.conf, else the directives of each context. */
  readonly complete?: boolean
  /** Files for each policy that others include. */
  readonly files?: boolean
  readonly composition?: 'stack' | 'inherit'
  readonly zoneNaming?: 'indexed' | 'keyed'
  readonly conflict?: 'same-field' | 'any-field'
  readonly nginxVersion?: string
  readonly fabricVersion?: FabricVersion
  /** Any address where empty. */
  readonly address?: string
  readonly portOffset?: number
  readonly ports?: Readonly<Record<string, number>>
  readonly addresses?: Readonly<Record<string, string>>
  /** Hostnames or listeners with a certificate. */
  readonly certificates?: readonly string[]
  readonly socketDir?: string
  /** Variables that the settings define. */
  readonly variables?: readonly string[]
}

/** A world, and the renderings that it asks for. */
export type RenderWorld = { readonly name: string; readonly text: string; readonly wishes: readonly Wish[] }

/** Reads every world, in order of name. */
export const readWorlds = (): readonly RenderWorld[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => {
      const text = readFileSync(FOLDER + file, 'utf8')
      const lines = [...text.matchAll(/^# render: (.*)$/gm)].map(([, line = '']) => line)
      return { name: file.replace(/\.yaml$/, ''), text, wishes: lines.map((line) => load(line) as Wish) }
    })

/** The file with the expected text of a world. */
export const expectedFile = ({ name }: Pick<RenderWorld, 'name'>): string => `${FOLDER}${name}.out`

/** Renders the Gateways of a world. */
export function renderWorld({ name, text }: RenderWorld, wish: Wish): QueryResult<RenderResult> {
  const {
    fabricVersion = DEFAULT_SETTINGS.fabricVersion,
    composition = wish.fabricVersion === undefined ? 'stack' : 'inherit',
    conflict = 'same-field',
    zoneNaming = 'indexed',
    nginxVersion = '1.31',
    variables = [],
    certificates,
  } = wish
  const platform = { ...DEFAULT_SETTINGS.platform, nginxVersion, variables: [...variables] }
  return queryRender([{ file: `${name}.yaml`, text }], {
    world: undefined,
    gateway: undefined,
    namespace: undefined,
    several: true,
    settings: { ...DEFAULT_SETTINGS, fabricVersion, composition, conflict, zoneNaming, platform },
    closedWorld: false,
    how: {
      complete: wish.complete ?? false,
      files: wish.files ?? false,
      address: wish.address ?? '127.0.0.1',
      portOffset: wish.portOffset ?? 0,
      ports: new Map(Object.entries(wish.ports ?? {}).map(([port, other]) => [Number(port), other])),
      addresses: new Map(Object.entries(wish.addresses ?? {})),
      certificates:
        certificates && new Map(certificates.map((of) => [of, { certificate: `${of}.crt`, key: `${of}.key` }])),
      socketDir: wish.socketDir ?? '/var/run',
    },
  })
}

/** All that a rendering says: notes, loops, and the text of each file; or why there is none. */
export function printRendering(result: QueryResult<RenderResult>): string {
  if (!result.ok) return `problem: ${result.problem}\n`
  const { gateways, notes } = result.value
  const ofGateways = gateways.flatMap(({ namespace, name, found, files, loops }) => [
    `==== Gateway ${namespace}/${name}${found ? '' : ', not found'}\n`,
    ...loops.map((backend) => `loop: ${backend}\n`),
    ...files.map((file) => `==== ${file.name}\n${file.text}`),
  ])
  return [...notes.map((note) => `note: ${note}\n`), ...ofGateways].join('')
}
