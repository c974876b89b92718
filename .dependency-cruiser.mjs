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
    name: 'names',
    holds: 'the names that make up the API groups',
    at: '^src/names\\.ts$',
    may: [],
    because: 'The names of the API groups are constants: everybody reads them, they read nobody.',
  },
  {
    name: 'limits',
    holds: 'the language of limits as plain values: rate, size, key, zone name. Parse, print, compare, repair',
    at: '^src/limits/',
    may: [],
    because: 'Rates, sizes, keys and zone names are plain values; knowing a system would tie every system to it.',
  },
  {
    name: 'nginx',
    holds: 'what nginx does with limits: how it reads a parameter, its variables, its refusals, its codes',
    at: '^src/nginx/',
    may: ['limits'],
    because: 'What nginx does with limits is true whoever writes them: no product, no file format belongs here.',
  },
  {
    name: 'traffic',
    holds: 'access logs: their formats, their lines, the requests in them',
    at: '^src/traffic/',
    may: ['limits', 'nginx'],
    because: 'What a line of a log says is the same whoever asks: no policy and no file belongs here.',
  },
  {
    name: 'documents',
    holds: 'text to objects, as kubectl would read it, with the place of every value; patches to edits of the text',
    at: '^src/documents/',
    may: [],
    uses: ['js-yaml'],
    because: 'Text to objects and back: a reader that knew what it reads could not serve the next kind.',
  },
  {
    name: 'gateway',
    holds:
      "RateLimitPolicy, Gateways and routes: views of them, attachment, precedence, effective limits, the CRD's schema",
    at: '^src/gateway/',
    may: ['names', 'limits', 'nginx'],
    because: 'A system knows its own objects and nginx; where they came from and who judges them is not its affair.',
  },
  {
    name: 'world',
    holds: 'the objects around a subject; every look-up answers found, absent or unknown',
    at: '^src/world/',
    may: ['documents', 'names', 'limits', 'nginx', 'gateway'],
    because: 'The objects around a subject are answered for from objects at hand, without rules and without files.',
  },
  {
    name: 'engine',
    holds: 'what a rule, a finding and a setting are; runs rules over subjects and catches rules that lie',
    at: '^src/engine/',
    may: ['documents', 'names', 'limits', 'gateway', 'world'],
    because: 'The engine runs any rule for any surface: it knows the views that rules judge, no rule and no surface.',
  },
  {
    name: 'rules',
    holds: 'one rule a file, one folder a system, and `index.ts`: the one explicit, ordered list',
    at: '^rules/',
    may: ['documents', 'names', 'limits', 'nginx', 'gateway', 'world', 'engine'],
    because: 'A rule reads views and the world and says what is wrong: the same in every surface, so it knows none.',
  },
  {
    name: 'lint',
    holds: 'one run: texts in, findings with places and words out',
    at: '^src/lint/',
    may: ['documents', 'names', 'gateway', 'world', 'engine', 'rules'],
    because:
      'One run, texts in and findings out; whoever has texts can start it, so it reads no file and prints nothing.',
  },
  {
    name: 'answers',
    holds: 'what is asked of manifests beside judging them: the effective limits of a route, the status of policies',
    at: '^src/answers/',
    may: ['documents', 'names', 'limits', 'nginx', 'gateway', 'world', 'engine', 'rules', 'lint'],
    because: 'A question is answered as plain data from texts, for whoever asks: it reads no file and prints nothing.',
  },
  {
    name: 'simulate',
    holds: "traffic through the limits of routes with nginx's own arithmetic; its report as plain data",
    at: '^src/simulate/',
    may: ['documents', 'names', 'limits', 'nginx', 'traffic', 'gateway', 'world', 'engine', 'rules', 'lint', 'answers'],
    uses: ['node:'],
    because:
      'A log is larger than memory and read by several threads at once: reading it cannot be handed in, all else is.',
  },
  {
    name: 'reports',
    holds: 'findings and answers to text and to what other programs read. Pure functions',
    at: '^src/reports/',
    may: ['documents', 'limits', 'engine', 'lint', 'answers', 'simulate'],
    uses: ['diff', 'get-east-asian-width'],
    because: 'Reports are pure functions from findings and answers to text: they never look back at objects or files.',
  },
  {
    name: 'files',
    holds: 'paths to texts: folders, globs, ignores, kustomizations, charts, worlds; mended texts to files',
    at: '^src/files/',
    may: ['documents', 'names', 'limits', 'engine', 'lint'],
    uses: ['node:', 'picomatch', 'ignore'],
    because: 'The rim that reads folders and settings: it hands on texts and knows nothing of what is judged in them.',
  },
  {
    name: 'manifests',
    holds: 'the objects of an installation as plain data, derived from what the rules judge and read',
    at: '^src/manifests/',
    may: ['names', 'gateway', 'engine', 'rules'],
    because: 'What is installed follows from what is judged; it is plain data for whoever prints or writes it.',
  },
  {
    name: 'http',
    holds: 'listeners, TLS and its certificates, health, metrics, log: for whoever serves',
    at: '^src/http/',
    may: [],
    uses: ['node:', 'express', 'pino', '@prometheus-io/client', '@peculiar/x509', 'reflect-metadata'],
    because: 'Sockets, certificates and numbers are the same whatever is served: nothing of the domain belongs here.',
  },
  {
    name: 'cluster',
    holds: 'the one room that speaks to Kubernetes: watches, and the certificates that replicas share',
    at: '^src/cluster/',
    may: ['documents', 'names', 'limits', 'nginx', 'gateway', 'world', 'http'],
    uses: ['@kubernetes/client-node'],
    because: 'Who speaks to Kubernetes knows its client; everybody else gets a world and never waits for an answer.',
  },
  {
    name: 'servers',
    holds: 'one folder a surface: requests in, the rooms above asked, answers out',
    at: '^src/servers/',
    may: ['documents', 'names', 'limits', 'gateway', 'world', 'engine', 'http'],
    uses: ['node:', 'express', '@prometheus-io/client', 'fast-json-patch'],
    because: 'A server gets clock, world and settings handed: it finds no file and no cluster by itself.',
  },
  {
    name: 'cli',
    holds: 'one file a command: reads flags, wires rooms together, prints',
    at: '^src/cli/',
    may: [
      'documents',
      'names',
      'limits',
      'engine',
      'rules',
      'lint',
      'answers',
      'traffic',
      'simulate',
      'reports',
      'files',
      'manifests',
      'world',
      'http',
      'cluster',
      'servers',
    ],
    uses: ['node:', 'package.json'],
    because:
      'Commands read flags, wire rooms together and print; what they would know of the domain belongs in a room.',
  },
  {
    name: 'index',
    holds: "the library's public entry",
    at: '^src/index\\.ts$',
    may: ['documents', 'names', 'limits', 'nginx', 'gateway', 'world', 'engine', 'rules', 'lint', 'reports'],
    because: 'The library offers what the rooms do; it has no command line in its tow.',
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
