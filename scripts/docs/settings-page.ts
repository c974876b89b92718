/** `docs/settings.md`: the settings file, from its published schema and the defaults. */
import { DEFAULT_ADMISSION, DEFAULT_SETTINGS } from '../../src/settings/settings.ts'

/** The parts of a JSON schema that the settings' schema uses. */
export type Schema = {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly definitions?: Readonly<Record<string, Schema>>
}

type Row = { readonly path: string; readonly schema: Schema }

/** The text of the page. */
export function settingsPage(root: Schema, example: string): string {
  const rows = rowsOf(root, root, '').map(({ path, schema }) => {
    const fallback = defaultAt(path)
    return `| \`${path}\` | ${cell(schema.description ?? '')} | ${fallback === undefined ? '' : `\`${fallback}\``} |`
  })
  return `<!-- Made by \`npm run docs\` from schemas/sluice.config.schema.json; edit that. -->

# Settings

Set severities, budgets, the nginx and several clusters:

\`\`\`sh
sluice init                                  # writes a sluice.config.yaml with comments
sluice lint --print-config k8s/coffee.yaml   # the settings for a file: every rule with its severity, overrides applied
\`\`\`

The file is \`sluice.config.yaml\` in the working directory or a folder above it, up to the root of the Git repository, or that of
\`--config FILE\`. All keys are optional. An unknown key or rule is an error. Flags take precedence.

\`\`\`yaml
${example.trimEnd()}
\`\`\`

| key | description | default |
|---|---|---|
${rows.join('\n')}

Editors with \`yaml-language-server\` complete and check the file if it starts with
\`# yaml-language-server: $schema=./node_modules/sluice/schemas/sluice.config.schema.json\`.

## Your own rules

\`policies\` are rules in CEL, as ValidatingAdmissionPolicies have them:

\`\`\`yaml
policies:
- name: rate-cap # the rule local/rate-cap
  expression: variables.limits[0].all(limit, !has(limit.rate) || int(limit.rate.split('r/')[0]) <= 100)
  message: a rate is above 100
\`\`\`

Expressions read \`object\`, \`oldObject\` (null without \`--base\` or \`--old\`) and the \`variables\` of
[exported policies](validating-admission-policy.md): \`limits[0]\` are the limits of the object. One that fails, or takes more than
1,000,000 steps, is an error; \`quantity\`, \`ip\`, \`url\` and \`request\` are errors of the settings. The webhook judges
RateLimitPolicies, exported policies every kind.

## Key changes

A running nginx refuses a configuration that changes the key of a zone, but neither its name nor its size:

| \`zoneNaming\` | name of a zone | a changed key |
|---|---|---|
| \`indexed\` | \`shop_rl_coffee_rule0\`, as the specification says | is refused unless \`zoneSize\` changes too: \`gateway/key-change-without-zone-resize\` |
| \`keyed\` | \`shop_rl_coffee_rule0_\` and 16 hexadecimal digits, a digest of the key without its quotes | makes a new zone, and is taken |

Set \`keyed\` only where the configuration comes from \`sluice render\`, or from another program that names zones so: NGINX Gateway
Fabric names them by position.

With \`keyed\`, a limit that is inserted, removed or moved gives the limits behind it new zones. The digest has 64 bits and is not
made to withstand attacks; the rule reports a change to a key with the same digest. A new zone starts empty, with the whole burst
for all clients; a change of \`zoneNaming\` itself makes all zones new.
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
