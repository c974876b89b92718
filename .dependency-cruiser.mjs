/**
 * The import law, as data. `npm run lint` runs it through scripts/lint/import-law.mjs, which also fails when a source file
 * or an import was not read. ARCHITECTURE.md shows it as a picture, with what lives where.
 */

/**
 * A line per room: the rooms that it may import beside itself, then behind a `+` the packages and modules of Node that
 * it may use. A room may import only rooms above it, so there is no circle of rooms, and a heavy package has one room.
 * A room without `node:` runs unchanged in a browser. An indented line continues the one above it.
 */
const LAW = `
text           + re2js
disk           text + node:
json           text
cel            text + @marcbachmann/cel-js
yaml           text json + js-yaml
kubernetes     text json
kustomize      text json yaml
limits         text
nginx          text limits
proxy          text nginx + node:
traffic        text limits nginx
world          text json kubernetes
fabric         text
settings       text json yaml kubernetes limits fabric
engine         text json yaml kubernetes kustomize world settings
body-fields
gateway        text json kubernetes limits nginx world fabric engine
api-management text json limits nginx body-fields world engine
mesh           text json yaml kubernetes nginx world engine
rules          text json yaml kubernetes limits nginx body-fields world fabric engine gateway api-management mesh
local          text json cel world settings engine
registry       text kubernetes world settings engine gateway api-management mesh rules local
project        text json yaml kubernetes kustomize world settings engine
lint           text json yaml kubernetes world settings engine registry project
admission      json kubernetes world settings engine
queries        text json yaml kubernetes limits nginx world fabric settings engine gateway api-management rules project
simulate       text json yaml kubernetes limits nginx traffic settings gateway api-management project queries
simulate-logs  text json limits nginx traffic settings gateway queries simulate + node:
live           text json kubernetes limits nginx proxy world settings engine gateway project queries
publication    text json proxy api-management
reports        text json yaml limits settings engine lint queries simulate live + diff get-east-asian-width
files          text disk json yaml kustomize limits settings registry project lint + node: picomatch ignore
installation   text json kubernetes mesh world settings engine rules registry
http           text disk + node: express pino @prometheus-io/client @peculiar/x509 reflect-metadata
store          text json + node:
cluster        text disk json yaml kubernetes mesh world http + node: @kubernetes/client-node undici
doctor         text json kubernetes fabric settings gateway registry reports installation http cluster
servers        text json yaml kubernetes body-fields api-management mesh publication world settings engine admission queries reports http store
               + node: express @prometheus-io/client fast-json-patch jose @fastify/busboy
controller     text json kubernetes proxy world settings gateway queries live http cluster + node: @prometheus-io/client
cli            text disk json yaml kubernetes limits mesh world fabric settings engine rules registry project lint queries
               traffic simulate simulate-logs live proxy publication reports files installation http store cluster servers
               admission controller api-management doctor
               + node: package.json
library        text json yaml kubernetes limits mesh traffic world settings registry project lint admission queries simulate reports
               + package.json
browser        yaml mesh settings engine project lint admission queries simulate library
studio         json body-fields browser + preact diff @codemirror/autocomplete @codemirror/commands @codemirror/lang-yaml @codemirror/language
               @codemirror/lint @codemirror/state @codemirror/view @lezer/highlight uplot
index          browser
`

/** The groups of rooms, as ARCHITECTURE.md shows them: none imports a room of a group below it. */
const GROUPED = `
language (values and formats, of no product): text json cel yaml kubernetes kustomize limits nginx traffic
tools (files, processes, sockets, rows): disk proxy http store
world and engine (what a rule sees and is): world fabric settings engine project
systems and rules (products, and what can be wrong): body-fields gateway api-management mesh rules local registry
questions (sources in, plain data out): lint admission queries simulate simulate-logs live publication
surfaces (where people and programs meet it): reports files installation cluster doctor servers controller cli library browser studio index
`

/** What lives in each room, and why it may not import more. */
const ABOUT = {
  text: {
    holds: 'suggestions, order, UTF-8, regular expressions in linear time',
    because: 'Plain text is the same for every format and product.',
  },
  disk: {
    holds: 'regular files up to a size, and nothing else that a path may lead to',
    because: 'Every room that opens a file opens it in the same careful way: what is in it is of no interest here.',
  },
  json: {
    holds: 'members of objects, JSON Pointer, JSON Patch',
    because: 'JSON is read and patched alike for every kind of object.',
  },
  cel: {
    holds: 'expressions of CEL as the API server evaluates them, with a bound on the work',
    because: 'What an expression is true of depends on values alone: it knows neither rules nor kinds.',
  },
  yaml: {
    holds: 'YAML and JSON as kubectl reads them, with the place of every value; patches to edits of the text',
    because: 'A reader that knew what it reads could not serve the next kind.',
  },
  kubernetes: {
    holds: 'identity, names, selectors, conditions, API groups',
    because: 'What every Kubernetes object has does not depend on the system that judges it.',
  },
  kustomize: {
    holds: 'builds kustomizations as kubectl does; each value knows where it was written',
    because: 'kustomize knows no product: what it builds is the same whoever reads the files and judges the objects.',
  },
  limits: {
    holds: 'rate, size, key, zone name: parse, print, compare, repair',
    because: 'Rates, sizes, keys and zone names are plain values; knowing a system would tie every system to it.',
  },
  nginx: {
    holds: 'what nginx does with limits: parameters, variables, codes, what it rejects',
    because: 'What nginx does with limits is true whoever writes them: no product and no file format belongs here.',
  },
  proxy: {
    holds: 'drives an nginx; finds the parts that it refuses, and keeps their last accepted form',
    because: 'What nginx makes of a configuration does not depend on what the configuration is made of.',
  },
  traffic: {
    holds: 'access logs: formats, lines, requests',
    because: 'A line of a log means the same for every caller: no policy and no file belongs here.',
  },
  gateway: {
    holds: 'RateLimitPolicy, Gateways, routes: views, attachment, conflicts, effective limits, status, configuration',
    because: 'A system knows its own objects and nginx, not where the objects came from or who judges them.',
  },
  'body-fields': {
    holds: 'the table of the fields of a proxy body: which there are, with type, bounds, default and meaning',
    because:
      'Whoever reads, describes or shows a body needs the same table, the page included: it is data, and judges nothing.',
  },
  'api-management': {
    holds: 'bodies of API proxies: views, defaults, configuration',
    because: 'A body is a text of its own: no object of Kubernetes and no other system says anything about it.',
  },
  mesh: {
    holds: 'the service mesh: its configuration, injection, the nginx of a sidecar',
    because: 'Texts and objects in, texts and views out: no server, no cluster and no other system belongs here.',
  },
  world: {
    holds: 'what a system registers; the objects around a subject; lookups: found, absent or unknown',
    because: 'Lookups are made from objects at hand, of any system: without rules and without files.',
  },
  fabric: {
    holds: 'the releases of NGINX Gateway Fabric: what each has learned, and what it does wrong',
    because: 'Settings name a release, and rules and configurations follow it: a table that judges nothing.',
  },
  settings: {
    holds: 'the settings file: schema, defaults',
    because: 'Settings are plain data for every surface; reading them needs no rule and no surface.',
  },
  engine: {
    holds: 'what a rule and a finding are; runs rules and enforces their contract',
    because: 'The engine runs any rule of any system for any surface: it knows none of the three.',
  },
  rules: {
    holds: 'one rule a file, one folder a system; `index.ts` is the ordered list',
    because: 'A rule reads views and the world and reports what is wrong: the same on every surface, so it knows none.',
  },
  local: {
    holds: "the team's own rules: policies of the settings, in CEL",
    because: 'A policy is a rule like all others, of any system: it gets the kinds as an argument.',
  },
  registry: {
    holds: 'the list of systems and rules',
    because: 'Rooms below get systems and rules as arguments; this list is their default.',
  },
  project: {
    holds: 'sources to objects, worlds and subjects',
    because: 'What is judged is prepared from sources at hand: it reads no file and runs no rule.',
  },
  lint: {
    holds: 'one run: findings with places and sentences; fixes, suppressions, baselines',
    because: 'A run needs only sources, so that every surface can start one: it reads no file and prints nothing.',
  },
  admission: {
    holds: 'the answer to a review: what denies, what warns, in which words',
    because: 'The same answer comes from the webhook and from the library: a review goes in as plain data, no request.',
  },
  queries: {
    holds: 'effective limits, status, rendered configuration; `proxies/` for API proxies',
    because: 'A question is answered as plain data from sources: it reads no file and prints nothing.',
  },
  simulate: {
    holds: "traffic through limits with nginx's arithmetic",
    because: 'Generated clients and logs in memory are simulated in a browser too: only reading files needs Node.',
  },
  'simulate-logs': {
    holds: 'logs larger than memory, packed, read by several threads',
    because: 'This is all that a simulation needs Node for.',
  },
  live: {
    holds: 'the nginx of a Gateway: a part for each policy, and what nginx says back',
    because:
      'A configuration is made of a world alike for manifests and for a cluster; of the driver it knows types and nothing that runs.',
  },
  publication: {
    holds: 'the nginx of API proxies: a part for each proxy, and what nginx says back',
    because: 'What is published comes as plain data, and goes out as states: it knows neither a store nor a request.',
  },
  reports: {
    holds: 'results as text and other formats; pure functions',
    because: 'Reports are pure functions from results to text: they never look back at objects or files.',
  },
  files: {
    holds: 'paths to sources: folders, globs, Git, kustomizations, charts; writes fixed texts',
    because: 'This room reads folders and settings files: it returns sources and does not know what is judged in them.',
  },
  installation: {
    holds: 'the objects of an installation, derived from what rules judge and read',
    because: 'What is installed follows from what is judged; it is plain data for the command and the chart.',
  },
  http: {
    holds: 'listeners, TLS, certificates, health, metrics, log',
    because: 'Sockets, certificates and metrics are the same for every server: nothing of the domain belongs here.',
  },
  store: {
    holds: 'what outlives a process: SQLite in one file',
    because: 'A database knows rows and transactions: what they mean, and who may change them, is of no interest here.',
  },
  cluster: {
    holds: 'Kubernetes: client, watches, the certificates that replicas share',
    because: 'Only this room knows the Kubernetes client; the others get a world and never wait for a request.',
  },
  doctor: {
    holds: 'checks of an installation: what was read of a cluster or of manifests to what is wrong, and what to do',
    because: 'A check is a judgement of what was read: it asks nobody, so files and clusters are judged alike.',
  },
  servers: {
    holds: 'one folder a server: requests in, responses out',
    because: 'A server gets clock, world and settings as arguments: it finds no file and no cluster by itself.',
  },
  controller: {
    holds: 'statuses that a cluster should carry, compared and written by one replica',
    because:
      'It acts in a cluster by itself, as no other room does: what a status says comes from gateway/, and how to write from cluster/.',
  },
  cli: {
    holds: '`core/`, and one folder a command: reads flags, connects rooms, prints',
    because: 'Commands read flags, connect rooms and print; what they would know of the domain belongs in a room.',
  },
  library: {
    holds: 'the functions of the library: check arguments, call rooms, never throw',
    because:
      'The page runs the same rules as CI, so nothing here may need Node; what is judged and how lives in rooms.',
  },
  browser: {
    holds: 'the public entry without Node',
    because: 'It names what is public, and does nothing.',
  },
  studio: {
    holds: 'the page in the browser',
    because:
      'The page shows what the library says, and the fields of the table: what it would judge by itself would differ from CI.',
  },
  index: {
    holds: 'the public entry',
    because: 'The library offers what the rooms do; it does not import the command line.',
  },
}

/** Rooms that are not a folder of `src/`. */
const PLACES = {
  rules: '^rules/',
  'body-fields': '^src/api-management/fields\\.ts$',
  'api-management': '^src/api-management/(?!fields\\.ts$)',
  registry: '^src/registry\\.ts$',
  simulate: '^src/simulate/(?!logs/)',
  'simulate-logs': '^src/simulate/logs/',
  browser: '^src/browser\\.ts$',
  index: '^src/index\\.ts$',
}

const words = (text = '') => text.split(' ').filter(Boolean)

/** Parses a line of the law. Throws where it names a room that is not above it, or that is not described. */
function parseLaw(law) {
  const rooms = []
  for (const line of law.trim().replace(/\n +/g, ' ').split('\n')) {
    const [left, right] = line.split(' + ')
    const [name, ...may] = words(left)
    const unknown = may.find((other) => !rooms.some((room) => room.name === other))
    if (unknown) throw new Error(`the import law lets "${name}" import "${unknown}", which is not a room above it`)
    if (!ABOUT[name]) throw new Error(`the import law has no description of the room "${name}"`)
    rooms.push({ name, at: PLACES[name] ?? `^src/${name}/`, may, uses: words(right), ...ABOUT[name] })
  }
  return rooms
}

/** The rooms: name, pattern of its modules, rooms it may import, packages it may use, what it holds, the reason. */
export const ROOMS = parseLaw(LAW)

/** Parses the groups. Throws where a room is in none, or imports a room of a group below its own. */
function parseGroups(grouped) {
  const groups = grouped
    .trim()
    .split('\n')
    .map((line) => {
      const [, name, about, names] = /^(.+) \((.+)\): (.+)$/.exec(line) ?? []
      return { name, about, rooms: ROOMS.filter((room) => words(names).includes(room.name)) }
    })
  const above = new Set()
  for (const { name, rooms } of groups) {
    for (const room of rooms) above.add(room.name)
    const below = rooms.find(({ may }) => may.some((other) => !above.has(other)))
    if (below) throw new Error(`"${below.name}" imports a room of a group below "${name}"`)
  }
  const alone = ROOMS.find((room) => !above.has(room.name))
  if (alone) throw new Error(`the room "${alone.name}" is in no group`)
  return groups
}

export const GROUPS = parseGroups(GROUPED)

/** The modules at which a program starts. */
const ENTRIES = '^src/(?:(?:index|cli/bin|studio/library/worker)\\.ts|studio/main\\.tsx)$'

/** Names in the law that are not those of packages. */
const PACKAGE_PATHS = {
  'package.json': '^package\\.json$',
  'node:':
    '^(?:node:)?(?:assert|async_hooks|buffer|child_process|cluster|console|constants|crypto|diagnostics_channel|dns|domain|events|fs|http|http2|https|inspector|module|net|os|path|perf_hooks|process|readline|repl|sqlite|stream|string_decoder|timers|tls|tty|url|util|v8|vm|worker_threads|zlib)(?:/|$)',
}
const packagePath = (name) => PACKAGE_PATHS[name] ?? `(?:^|node_modules/)${name}(?:/|$)`

const patternOf = (name) => ROOMS.find((room) => room.name === name).at

/** A room may import nothing but what its line names: no other room, test or tool, package or module of Node. */
const laws = ROOMS.map(({ name, at, may, uses, because }) => ({
  name: `room-${name}`,
  comment: because,
  severity: 'error',
  from: { path: at },
  to: { pathNot: [at, ...may.map(patternOf), ...uses.map(packagePath)] },
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
    comment: 'A folder that no law describes is a way around all of them: add a line for it to LAW, and its reason.',
    severity: 'error',
    from: {},
    to: { path: '^src/', pathNot: ROOMS.map(({ at }) => at) },
  },
  {
    name: 'one-list-of-rules',
    comment:
      'The engine gets rules as an argument, and surfaces use the list: the settings would not apply to a rule imported by itself.',
    severity: 'error',
    from: { path: '^src/' },
    to: { path: '^rules/', pathNot: '^rules/index\\.ts$' },
  },
  {
    name: 'no-dead-module',
    comment: 'A module that no entry reaches is not part of the program: delete it, or move it to test/.',
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
  /** With typescript 7 the default parser reads no TypeScript, without any message. */
  parser: 'swc',
  /** Imports of types count like any other: they tie rooms together in the same way. */
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  /** Packages that only have `exports` for modules. */
  enhancedResolveOptions: {
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'require', 'default', 'types'],
  },
}

export default { forbidden, options }
