/**
 * The import law, as data. Imports go up the table of rooms, never down, never in a circle; a heavy dependency has
 * one room. `npm run lint` runs it through scripts/import-law.mjs, which also fails when a source file was not read.
 * ARCHITECTURE.md says what lives where.
 */

/**
 * A room: its modules, the rooms it may import beside itself, the packages and Node modules it may use, and why.
 * `pure` rooms use neither: they run unchanged in a browser.
 */
const ROOMS = [
  {
    name: 'names',
    at: '^src/names\\.ts$',
    may: [],
    because: 'The names of the API groups are constants: everybody reads them, they read nobody.',
  },
  {
    name: 'limits',
    at: '^src/limits/',
    may: [],
    because: 'Rates, sizes, keys and zone names are plain values; knowing a system would tie every system to it.',
  },
  {
    name: 'nginx',
    at: '^src/nginx/',
    may: ['limits'],
    because: 'What nginx does with limits is true whoever writes them: no product, no file format belongs here.',
  },
  {
    name: 'documents',
    at: '^src/documents/',
    may: [],
    uses: ['js-yaml'],
    because: 'Text to objects and back: a reader that knew what it reads could not serve the next kind.',
  },
  {
    name: 'gateway',
    at: '^src/gateway/',
    may: ['names', 'limits', 'nginx'],
    because: 'A system knows its own objects and nginx; where they came from and who judges them is not its affair.',
  },
  {
    name: 'world',
    at: '^src/world/',
    may: ['documents', 'names', 'limits', 'nginx', 'gateway'],
    because: 'The objects around a subject are answered for from objects at hand, without rules and without files.',
  },
  {
    name: 'engine',
    at: '^src/engine/',
    may: ['documents', 'names', 'limits', 'gateway', 'world'],
    because: 'The engine runs any rule for any surface: it knows the views that rules judge, no rule and no surface.',
  },
  {
    name: 'rules',
    at: '^rules/',
    may: ['documents', 'names', 'limits', 'nginx', 'gateway', 'world', 'engine'],
    because: 'A rule reads views and the world and says what is wrong: the same in every surface, so it knows none.',
  },
  {
    name: 'lint',
    at: '^src/lint/',
    may: ['documents', 'names', 'gateway', 'world', 'engine', 'rules'],
    because:
      'One run, texts in and findings out; whoever has texts can start it, so it reads no file and prints nothing.',
  },
  {
    name: 'reports',
    at: '^src/reports/',
    may: ['engine', 'lint'],
    uses: ['node:util'],
    because: 'Reports are pure functions from findings to text: they never look back at objects or files.',
  },
  {
    name: 'files',
    at: '^src/files/',
    may: ['documents', 'names', 'limits', 'engine', 'lint'],
    uses: ['node:', 'picomatch', 'ignore'],
    because: 'The rim that reads folders and settings: it hands on texts and knows nothing of what is judged in them.',
  },
  {
    name: 'cli',
    at: '^src/cli/',
    may: ['documents', 'names', 'limits', 'engine', 'rules', 'lint', 'reports', 'files'],
    uses: ['node:', 'package.json'],
    because:
      'Commands read flags, wire rooms together and print; what they would know of the domain belongs in a room.',
  },
  {
    name: 'index',
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
  'node:util': '^(?:node:)?util$',
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
    name: 'every-folder-is-a-room',
    comment: 'A folder that no law describes is a way around all of them: describe it in ROOMS, with its reason.',
    severity: 'error',
    from: { path: '^(?:src|rules)/', pathNot: ROOMS.map(({ at }) => at) },
    to: {},
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
