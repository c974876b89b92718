/**
 * The import law, as data. Imports go up the table of rooms, never down, never in a circle; a heavy dependency has
 * one room. `npm run lint` runs it through scripts/import-law.mjs, which also fails when a source file was not read.
 * ARCHITECTURE.md says what lives where.
 */

/**
 * A room: what lives there, its modules, the rooms it may import beside itself, the packages and modules of Node that
 * it may use, and why. A room that uses none runs unchanged in a browser.
 */
export const ROOMS = [
  {
    name: 'text',
    holds: 'did-you-mean, order of texts, memos by text, UTF-8. Knows no format',
    at: '^src/text/',
    may: [],
    because: 'Plain text is the same for every format and product.',
  },
  {
    name: 'json',
    holds: 'members of JSON objects, JSON Pointer, JSON Patch',
    at: '^src/json/',
    may: ['text'],
    because: 'JSON is read and patched alike for every kind of object.',
  },
  {
    name: 'yaml',
    holds:
      'YAML and JSON text to values, as kubectl reads it, with the place of every value; patches to edits of the text',
    at: '^src/yaml/',
    may: ['text', 'json'],
    uses: ['js-yaml'],
    because: 'A reader that knew what it reads could not serve the next kind.',
  },
  {
    name: 'kubernetes',
    holds: 'metadata, identity, names, selectors, conditions, API groups',
    at: '^src/kubernetes/',
    may: ['text', 'json'],
    because: 'What every Kubernetes object has does not depend on the system that judges it.',
  },
  {
    name: 'limits',
    holds: 'the language of limits as plain values: rate, size, key, zone name. Parse, print, compare, repair',
    at: '^src/limits/',
    may: ['text'],
    because: 'Rates, sizes, keys and zone names are plain values; knowing a system would tie every system to it.',
  },
  {
    name: 'nginx',
    holds: 'what nginx does with limits: how it reads a parameter, its variables, what it rejects, its codes',
    at: '^src/nginx/',
    may: ['text', 'limits'],
    because: 'What nginx does with limits is true whoever writes them: no product and no file format belongs here.',
  },
  {
    name: 'traffic',
    holds: 'access logs: their formats, their lines, the requests in them',
    at: '^src/traffic/',
    may: ['text', 'limits', 'nginx'],
    because: 'A line of a log means the same for every caller: no policy and no file belongs here.',
  },
  {
    name: 'gateway',
    holds:
      "RateLimitPolicy, Gateways and routes: views, attachment, conflicts, effective limits, status, rendered configuration, the CRD's schema",
    at: '^src/gateway/',
    may: ['text', 'json', 'kubernetes', 'limits', 'nginx'],
    because: 'A system knows its own objects and nginx, not where the objects came from.',
  },
  {
    name: 'world',
    holds: 'the objects around a subject; every lookup returns found, absent or unknown',
    at: '^src/world/',
    may: ['text', 'json', 'kubernetes', 'limits', 'nginx', 'gateway'],
    because: 'Lookups are answered from objects at hand, without rules and without files.',
  },
  {
    name: 'settings',
    holds: 'the settings of a project: their file, their schema, their defaults',
    at: '^src/settings/',
    may: ['text', 'json', 'yaml', 'kubernetes', 'limits'],
    because: 'Settings are plain data for every surface; reading them needs no rule and no surface.',
  },
  {
    name: 'engine',
    holds: 'what a rule and a finding are; runs rules over subjects and enforces the contract of a rule',
    at: '^src/engine/',
    may: ['text', 'json', 'yaml', 'kubernetes', 'gateway', 'world', 'settings'],
    because: 'The engine runs any rule for any surface: it knows no rule and no surface.',
  },
  {
    name: 'rules',
    holds: 'one rule a file, one folder a system, and `index.ts`: the one explicit, ordered list',
    at: '^rules/',
    may: ['text', 'json', 'yaml', 'kubernetes', 'limits', 'nginx', 'gateway', 'world', 'engine'],
    because: 'A rule reads views and the world and reports what is wrong: the same on every surface, so it knows none.',
  },
  {
    name: 'project',
    holds: 'sources to objects, worlds and subjects',
    at: '^src/project/',
    may: ['text', 'json', 'yaml', 'kubernetes', 'gateway', 'world', 'settings', 'engine'],
    because: 'What is judged is prepared from sources at hand: it reads no file and runs no rule.',
  },
  {
    name: 'lint',
    holds: 'one run: sources in, findings with places and messages out; fixes, suppressions, baselines',
    at: '^src/lint/',
    may: ['text', 'json', 'yaml', 'kubernetes', 'gateway', 'world', 'settings', 'engine', 'rules', 'project'],
    because: 'A run needs only sources, so that every surface can start one: it reads no file and prints nothing.',
  },
  {
    name: 'queries',
    holds:
      'questions about manifests other than lint: effective limits of a route, status of policies, rendered configuration',
    at: '^src/queries/',
    may: [
      'text',
      'json',
      'yaml',
      'kubernetes',
      'limits',
      'nginx',
      'gateway',
      'world',
      'settings',
      'engine',
      'rules',
      'project',
    ],
    because: 'A question is answered as plain data from sources: it reads no file and prints nothing.',
  },
  {
    name: 'simulate',
    holds: "traffic through the limits of routes with nginx's own arithmetic; its report as plain data",
    at: '^src/simulate/(?!logs/)',
    may: [
      'text',
      'json',
      'yaml',
      'kubernetes',
      'limits',
      'nginx',
      'traffic',
      'gateway',
      'world',
      'settings',
      'project',
      'queries',
    ],
    because: 'Shapes and logs in memory are simulated in a browser too: only reading files needs Node.',
  },
  {
    name: 'simulate-logs',
    holds: 'access logs in files and streams: larger than memory, packed, read by several threads',
    at: '^src/simulate/logs/',
    may: ['simulate'],
    uses: ['node:'],
    because:
      'A log is larger than memory and read by several threads at once: this is all that simulate needs Node for.',
  },
  {
    name: 'reports',
    holds: 'results as text and as formats for other programs. Pure functions',
    at: '^src/reports/',
    may: ['text', 'json', 'yaml', 'limits', 'settings', 'engine', 'lint', 'queries', 'simulate'],
    uses: ['diff'],
    because: 'Reports are pure functions from results to text: they never look back at objects or files.',
  },
  {
    name: 'files',
    holds: 'paths to sources: folders, globs, Git, kustomizations, charts; new texts to files',
    at: '^src/files/',
    may: ['text', 'json', 'yaml', 'limits', 'settings', 'engine', 'project', 'lint'],
    uses: ['node:', 'picomatch', 'ignore'],
    because: 'This room reads folders and settings files: it returns sources and does not know what is judged in them.',
  },
  {
    name: 'installation',
    holds: 'the objects of an installation as plain data, derived from what the rules judge and read',
    at: '^src/installation/',
    may: ['text', 'json', 'kubernetes', 'gateway', 'engine', 'rules'],
    because: 'What is installed follows from what is judged; it is plain data for the command and the chart.',
  },
  {
    name: 'http',
    holds: 'listeners, TLS and its certificates, health, metrics, log: for every server',
    at: '^src/http/',
    may: ['text'],
    uses: ['node:', 'express', 'pino', '@peculiar/x509', 'reflect-metadata'],
    because: 'Sockets, certificates and metrics are the same for every server: nothing of the domain belongs here.',
  },
  {
    name: 'cluster',
    holds: 'the one room that speaks to Kubernetes: client, watches, and the certificates that replicas share',
    at: '^src/cluster/',
    may: ['text', 'json', 'yaml', 'kubernetes', 'limits', 'nginx', 'gateway', 'world', 'http'],
    uses: ['@kubernetes/client-node'],
    because: 'Only this room knows the Kubernetes client; the others get a world and never wait for a request.',
  },
  {
    name: 'servers',
    holds: 'one folder a surface: requests in, responses out',
    at: '^src/servers/',
    may: ['text', 'json', 'kubernetes', 'limits', 'gateway', 'world', 'settings', 'engine', 'http'],
    uses: ['node:', 'express', 'fast-json-patch'],
    because: 'A server gets clock, world and settings as arguments: it finds no file and no cluster by itself.',
  },
  {
    name: 'cli',
    holds: '`core/`, and one folder a command: reads flags, connects rooms, prints',
    at: '^src/cli/',
    may: [
      'text',
      'json',
      'yaml',
      'kubernetes',
      'limits',
      'world',
      'settings',
      'engine',
      'rules',
      'project',
      'lint',
      'queries',
      'traffic',
      'simulate',
      'simulate-logs',
      'reports',
      'files',
      'installation',
      'http',
      'cluster',
      'servers',
    ],
    uses: ['node:', 'package.json'],
    because: 'Commands read flags, connect rooms and print; what they would know of the domain belongs in a room.',
  },
  {
    name: 'index',
    holds: "the library's public entry",
    at: '^src/index\\.ts$',
    may: [
      'text',
      'json',
      'yaml',
      'kubernetes',
      'limits',
      'nginx',
      'gateway',
      'world',
      'settings',
      'engine',
      'rules',
      'project',
      'lint',
      'reports',
    ],
    because: 'The library offers what the rooms do; it does not import the command line.',
  },
]

/** Where a user's program, and the command line, come in. */
const ENTRIES = '^src/(?:index|cli/bin)\\.ts$'

/** A specifier with a trailing colon stands for every module of that scheme. */
const PACKAGE_PATHS = {
  'package.json': '^package\\.json$',
  'node:':
    '^(?:node:)?(?:assert|async_hooks|buffer|child_process|cluster|console|constants|crypto|diagnostics_channel|dns|domain|events|fs|http|http2|https|inspector|module|net|os|path|perf_hooks|process|readline|repl|sqlite|stream|string_decoder|timers|tls|tty|url|util|v8|vm|worker_threads|zlib)(?:/|$)',
}
const packagePath = (name) => PACKAGE_PATHS[name] ?? `(?:^|node_modules/)${name}(?:/|$)`

const room = (name) => {
  const found = ROOMS.find((candidate) => candidate.name === name)
  if (!found) throw new Error(`the import law names the room "${name}", which it does not describe`)
  return found
}

/** Everything that a room does not name is forbidden to it: rooms, tests and tools, packages, modules of Node. */
const laws = ROOMS.map(({ name, at, may, uses = [], because }) => ({
  name: `room-${name}`,
  comment: because,
  severity: 'error',
  from: { path: at },
  to: { pathNot: [at, ...may.map((other) => room(other).at), ...uses.map(packagePath)] },
}))

export const forbidden = [
  ...laws,
  {
    name: 'no-circle',
    comment: 'Modules in a circle can only be read, tested and changed together.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-unknown-room',
    comment: 'A folder that no law describes is a way around all of them: describe it in ROOMS, with its reason.',
    severity: 'error',
    from: {},
    to: { path: '^src/', pathNot: ROOMS.map(({ at }) => at) },
  },
  {
    name: 'one-list-of-rules',
    comment: 'The engine gets rules handed, and surfaces take the list: a rule picked by name would miss its settings.',
    severity: 'error',
    from: { path: '^src/' },
    to: { path: '^rules/', pathNot: '^rules/index\\.ts$' },
  },
  {
    name: 'no-dead-module',
    comment: 'A module that no entry reaches is read, built and trusted by nobody.',
    severity: 'error',
    from: { path: ENTRIES },
    to: { path: '^(?:src|rules)/', pathNot: [ENTRIES, '\\.d\\.m?ts$'], reachable: false },
  },
  {
    name: 'no-unresolvable',
    comment: 'An import that leads nowhere escapes every other law.',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
]

export const options = {
  /** With typescript 7 the default parser reads no TypeScript and says so to nobody. */
  parser: 'swc',
  /** Imports of types bind rooms together like any other. */
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
}

export default { forbidden, options }
