/** `docs/settings.md`: the settings file, from its published schema and the defaults. */
import { DEFAULT_ADMISSION, DEFAULT_SETTINGS } from '../../src/settings/settings.ts'

/** The parts of a JSON schema that the settings' schema uses. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly definitions?: Readonly<Record<string, Schema>>
}

type Row = { readonly path: string; readonly schema: Schema }

/** The text of the page. */
export function settingsPage(root: Schema, example: string): string {
  const rows = rowsOf(root, root, '').map(({ path, schema }) => {
    const fallback = defaultAt(path)
    return `| \`${path}\` | ${typeOf(schema)} | ${cell(schema.description ?? '')} | ${fallback === undefined ? '' : `\`${fallback}\``} |`
  })
  return `<!-- Made by \`npm run docs\` from schemas/sluice.config.schema.json; edit that. -->

# Settings

sluice looks for \`sluice.config.yaml\` in the working directory and the folders above it, up to the root of the Git
repository; \`--config FILE\` names another file. All keys are optional. A key or a rule that does not exist is an error.
Flags of the command line take precedence. \`sluice init\` writes a file with comments, and \`sluice lint --print-config
FILE\` prints the settings that hold for a file: every rule with its severity, overrides applied.

\`\`\`yaml
${example.trimEnd()}
\`\`\`

| key | type | description | default |
|---|---|---|---|
${rows.join('\n')}

Editors with \`yaml-language-server\` complete and check the file if it starts with this line:

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/sluice/schemas/sluice.config.schema.json
\`\`\`

## Key changes

A running nginx keeps the key of a zone for as long as the zone keeps its name and size: it refuses a whole new
configuration in which a key has changed. \`zoneNaming\` tells how zones are named by what configures nginx:

| \`zoneNaming\` | name of a zone | a changed key |
|---|---|---|
| \`indexed\` | \`shop_rl_coffee_rule0\`, as the specification says | is refused unless \`zoneSize\` changes too: \`gateway/key-change-without-zone-resize\` |
| \`keyed\` | \`shop_rl_coffee_rule0_\` and 16 hexadecimal digits, a digest of the key without its quotes | makes a new zone, and is taken |

Set \`keyed\` only where the configuration comes from \`sluice render\`, or from another program that names zones so:
NGINX Gateway Fabric names them by position, and a key change that the rule no longer reports would be refused there.

With \`keyed\`, a limit that is inserted, removed or moved gives the limits behind it new zones, and nothing is refused.
The index stays in the name because two limits of a policy may have the same key. The digest is one of 64 bits: among a
million keys the chance that any two share one is 1 in 37 million. The rule compares whole names, so it reports a change to
a key with the same digest. It is not a secret and not made to withstand attacks.

A new zone starts empty: clients have their whole burst again. Until the old workers have ended, the memory of the old
zone is in use as well. A change of \`zoneNaming\` itself gives every zone a new name: nginx takes the reload, every limit
starts anew, and for that time all zones exist twice.
`
}

/** All keys, parents before their members. */
function rowsOf(schema: Schema, root: Schema, path: string): readonly Row[] {
  const resolved = resolve(schema, root)
  const own = path === '' || path.startsWith('$') ? [] : [{ path, schema: resolved }]
  const members = Object.entries(resolved.properties ?? {}).flatMap(([name, member]) =>
    rowsOf(member, root, path === '' ? name : `${path}.${name}`),
  )
  const items =
    resolved.items && resolve(resolved.items, root).properties ? rowsOf(resolved.items, root, `${path}[]`).slice(1) : []
  return [...own, ...members, ...items]
}

/** Follows a reference; keywords beside it take precedence. */
function resolve(schema: Schema, root: Schema): Schema {
  const name = schema.$ref?.replace('#/definitions/', '')
  const target = name === undefined ? undefined : root.definitions?.[name]
  return target ? { ...target, ...schema } : schema
}

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(({ type }) => type))].join(' or ')
  if (schema.type === 'array') return 'list'
  if (schema.type === 'object') return 'mapping'
  return schema.type ?? ''
}

/** The default of a key, where it is not a mapping or a list. */
function defaultAt(path: string): string | undefined {
  let value: unknown = { ...DEFAULT_SETTINGS, admission: DEFAULT_ADMISSION }
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  if (path === 'budgets.zoneMemory' && typeof value === 'number') return `${value / 1024 ** 2}m`
  return typeof value === 'object' || value === undefined ? undefined : String(value)
}

const cell = (text: string): string => text.replaceAll('|', '\\|')
