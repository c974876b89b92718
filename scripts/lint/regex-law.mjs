/**
 * Every regular expression of the program in time that grows with the text: `npm run lint` has each one checked by recheck,
 * and fails for one that a text can make polynomial or exponential. Verdicts are kept outside of the repository.
 */
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { parseSync } from '@swc/core'

const FOLDERS = ['src', 'rules', 'action']
const { version } = JSON.parse(readFileSync(new URL('node_modules/recheck/package.json', import.meta.url), 'utf8'))
const CACHE = join(homedir(), '.cache', 'sluice', `recheck-${version}.json`)

/**
 * Expressions that the checker calls vulnerable or cannot judge, by their file and how they begin, and why their time is
 * bounded all the same. `bench/shapes.ts` and `test/growth/` measure what reads texts of strangers.
 */
const BOUNDED = [
  ['src/cli/core/project.ts', 'sl.*', 'the name of a file: at most 255 bytes'],
  ['src/files/helm/charts.ts', '\\b(?:Rate', '"kind:" has no blank, so that each blank is seen once'],
  [
    'src/gateway/routing/pattern.ts',
    '\\\\x[0-9',
    'reading stops at a class that does not end; at most 4,096 characters',
  ],
  [
    'src/gateway/schema/validate.mjs',
    '^(?![^]*',
    'tried at the beginning only, where each character is looked at once',
  ],
  ['src/http/authority.ts', '-----BEGIN', 'each part stops at the next hyphen, and what begins has five'],
  ['src/json/fields.ts', '\\/\\d+', 'digits have no slash, with which each match begins'],
  ['src/lint/baseline/fingerprint.ts', '\\/\\d+', 'digits have no slash, with which each match begins'],
  ['src/limits/rate.ts', '^\\s*(\\d', 'tried at the beginning only; no blank may be read by two parts'],
  ['src/project/templates.ts', '\\{\\{[^\\n]{0,200}?', 'at most 200 characters behind each beginning'],
  ['src/project/templates.ts', '\\{%[^\\n]{0,200}?', 'at most 200 characters behind each beginning'],
  ['src/reports/escapes.ts', '^([^', 'tried once for each line, whose end is no blank here'],
  ['src/reports/lint/sarif.ts', '\\[([^[', 'a match ends at the next bracket, with which another begins'],
  [
    'src/text/placeholder.ts',
    '\\$\\{[A-Z',
    'at most 300 characters behind each beginning, or none of them begins another',
  ],
  ['src/yaml/parse/json.ts', '(?:[^\\\\]|\\\\(?:["', 'sticky: tried at one offset only'],
  ['src/yaml/parse/split.ts', '^', 'tried at the beginning only'],
]

/** Files that compile a text which is only known when the program runs, and why that is harmless. */
const AT_RUN_TIME = {
  'src/api-management/system.ts': 'the names of fields, which repeat nothing',
  'src/gateway/keys/unknown-variables.ts': 'the name of one variable',
  'src/gateway/recognise.ts': 'the name of an API group, which repeats nothing',
  'src/gateway/routing/pattern.ts': 'compiled for its syntax, never matched',
  'src/mesh/objects/spelling.ts': 'the name of an API group, which repeats nothing',
  'src/mesh/system.ts': 'names of an API group and of a key, which repeat nothing',
  'src/registry.ts': 'two expressions that are judged where they are made, as one',
  'src/reports/characters.ts': 'another expression with the flag g',
  'src/servers/api-management/openapi/schemas.ts': 'the pattern of a field, which the compiled validator has, too',
  'src/world/kinds.ts': 'the names of kinds that are registered',
}

const sourceFiles = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.(?:ts|mjs|js)$/.test(name) && !/\.d\.[mc]?ts$/.test(name))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)

/** The text of an expression of constants; undefined where it is not one. */
function textOf(node, constants) {
  const all = (nodes) => nodes.map((one) => textOf(one.expression ?? one, constants))
  if (node.type === 'StringLiteral') return node.value
  if (node.type === 'ParenthesisExpression') return textOf(node.expression, constants)
  if (node.type === 'Identifier')
    return constants.has(node.value) ? textOf(constants.get(node.value), constants) : undefined
  if (node.type === 'BinaryExpression' && node.operator === '+') return joined(all([node.left, node.right]), '')
  if (
    node.type === 'CallExpression' &&
    node.callee.property?.value === 'join' &&
    node.callee.object.type === 'ArrayExpression'
  )
    return joined(all(node.callee.object.elements), textOf(node.arguments[0].expression, constants))
  const template = node.type === 'TaggedTemplateExpression' ? node.template : node
  if (template.type !== 'TemplateLiteral') return undefined
  const quasis = template.quasis.map(({ raw, cooked }) => (template === node ? cooked : raw))
  const values = all(template.expressions)
  return joined(
    quasis.flatMap((quasi, index) => (index === 0 ? [quasi] : [values[index - 1], quasi])),
    '',
  )
}

const joined = (texts, separator) => (texts.includes(undefined) ? undefined : texts.join(separator))

function visit(node, found) {
  if (Array.isArray(node)) for (const one of node) visit(one, found)
  else if (node !== null && typeof node === 'object') {
    found(node)
    for (const member of Object.values(node)) visit(member, found)
  }
}

function expressionsOf(file) {
  const module = parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript', target: 'es2022' })
  const constants = new Map()
  visit(module, (node) => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init)
      constants.set(node.id.value, node.init)
  })
  const expressions = []
  visit(module, (node) => {
    if (node.type === 'RegExpLiteral') expressions.push({ file, source: node.pattern, flags: node.flags })
    if (node.type !== 'NewExpression' || node.callee.value !== 'RegExp') return
    const [source, flags] = node.arguments.map(({ expression }) => textOf(expression, constants))
    expressions.push({ file, source, flags: flags ?? '' })
  })
  return expressions
}
const nameOf = ({ source, flags }) => `/${source}/${flags}`
const isBounded = ({ file, source }) =>
  BOUNDED.some(([where, beginning]) => where === file && source.startsWith(beginning))

function readCache() {
  try {
    return JSON.parse(readFileSync(CACHE, 'utf8'))
  } catch {
    return {}
  }
}

/** Has recheck judge the expressions that are not in the cache, in one thread for each core. */
async function judge(expressions) {
  const known = readCache()
  const left = [...new Map(expressions.map((one) => [nameOf(one), one])).values()].filter(
    (one) => !(nameOf(one) in known),
  )
  const work = async () => {
    const worker = new Worker(new URL(import.meta.url))
    for (let one = left.pop(); one; one = left.pop()) {
      worker.postMessage(one)
      known[nameOf(one)] = (await once(worker, 'message'))[0]
    }
    await worker.terminate()
  }
  await Promise.all(Array.from({ length: Math.min(left.length, availableParallelism()) }, work))
  mkdirSync(dirname(CACHE), { recursive: true })
  writeFileSync(CACHE, JSON.stringify(known))
  return known
}

async function check() {
  const files = FOLDERS.flatMap(sourceFiles).sort()
  const found = files.flatMap(expressionsOf)
  const expressions = found.filter(({ source }) => source !== undefined)
  const results = await judge(expressions.filter((one) => !isBounded(one)))
  const problems = [
    ...expressions
      .filter((one) => !isBounded(one) && results[nameOf(one)] !== 'safe')
      .map((one) => `${one.file}: ${nameOf(one)}: ${results[nameOf(one)]}`),
    ...found
      .filter(({ file, source }) => source === undefined && !(file in AT_RUN_TIME))
      .map(({ file }) => `${file}: an expression that is made at run time`),
    ...BOUNDED.filter(
      ([file, beginning]) => !expressions.some((one) => one.file === file && one.source.startsWith(beginning)),
    ).map(([file, beginning]) => `scripts/lint/regex-law.mjs: ${file} has no expression that begins with ${beginning}`),
  ]
  for (const problem of problems) console.error(problem)
  console.log(
    `regular expressions: ${expressions.length} in ${files.length} files, ${problems.length === 0 ? 'all linear' : `${problems.length} problems`}`,
  )
  if (problems.length > 0 || expressions.length === 0) process.exitCode = 1
}

if (isMainThread) await check()
else {
  process.env.RECHECK_BACKEND = 'pure'
  const { checkSync } = await import('recheck')
  // Bounded by steps alone: bounded by time, it takes linear expressions for other ones on a busy machine.
  const BOUNDS = { timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null }
  parentPort.on('message', ({ source, flags }) => {
    const { status, complexity, error } = checkSync(source, flags, BOUNDS)
    parentPort.postMessage(status === 'safe' ? status : (complexity?.summary ?? JSON.stringify(error)))
  })
}
