/**
 * Builds everything that is not written by hand: validators, `dist/`, its types, and the licences of bundled packages.
 * With `--if-changed`, only where what it is built from has changed since the last build.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { bundleStudio } from './build-studio.mjs'
import { compileCrd } from './compile-crd.mjs'
import { compileOpenApi } from './compile-openapi.mjs'
import { compileSchema, readJson } from './compile-schema.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
process.chdir(ROOT)
const MANIFEST = readJson('package.json')

/** Development dependencies are bundled; the dependencies of the package are not. */
const BUNDLE = {
  bundle: true,
  outdir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: Object.keys(MANIFEST.dependencies ?? {}),
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
}

/** What runs a command line. */
const PROCESS = 'src/cli/process.ts'

/** Worker threads start from a file of their own. */
const THREADS = {
  'log-thread': 'src/simulate/logs/threads.ts',
  'store-thread': 'src/store/sqlite/writer.ts',
  'inject-thread': 'src/servers/mesh/inject-thread.ts',
}

/** A file of its own, as only servers and `--cluster` load it. */
const CLIENT = { source: 'src/cluster/client/library.ts', file: './kubernetes-client.cjs' }

/** A file of its own, as only expressions and globs that are compiled for RE2 load it: an eighth of the command line. */
const RE2 = { source: 'src/text/re2.ts', file: './re2.cjs', functions: ['compileRe2'] }

/** A file of its own, as only runs with policies in their settings load it. */
const CEL = { source: 'src/cel/compile.ts', file: './cel.cjs', functions: ['compileCel', 'toCel'] }

/** The index of what is generated in the Kubernetes client, without the models and APIs of every kind: nothing uses them. */
const WITHOUT_MODELS = {
  name: 'without-models',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]client-node[\\/]dist[\\/]gen[\\/]index\.js$/ }, () => ({
      contents: ['http/http', 'auth/auth', 'configuration', 'servers']
        .map((name) => `export * from './${name}.js'`)
        .join('\n'),
    }))
  },
}

/** Names are kept, so that stack traces are readable. */
const MINIFIED = { minifyWhitespace: true, minifySyntax: true }

/** Licences that ask for no more than that their text comes with the copy. */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'])

/** What `dist/` is built from, by digest; not what the build itself writes there. */
const STAMP = 'dist/.cache/built-from'
const SOURCES = ['package.json', 'package-lock.json', 'LICENSE', 'tsconfig.json', 'scripts', 'schemas', 'rules', 'src']
const VALIDATORS = ['settings', 'gateway/schema', 'servers/api-management/openapi'].map(
  (folder) => `src/${folder}/validate.mjs`,
)
const NO_SOURCE = /(?:^|\/)(?:node_modules\/|validate\.mjs$)|^scripts\/.*\.ts$/

const digest = digestOfSources()
const isBuilt = [STAMP, ...VALIDATORS].every((file) => existsSync(file)) && readFileSync(STAMP, 'utf8') === digest
if (process.argv.includes('--if-changed') && isBuilt) process.exit()

const started = performance.now()
const validators = await compileValidators()
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
const [cli, client, re2, cel, library, studio] = await Promise.all([
  bundleCli(),
  bundleClient(),
  bundleRe2(),
  bundleCel(),
  bundleLibrary(),
  bundleStudio(),
  emitTypes(),
])
writeLicences([...validators, cli, client, re2, cel, library, ...studio])
mkdirSync(dirname(STAMP), { recursive: true })
writeFileSync(STAMP, digest)
const { size } = statSync('dist/main.cjs')
const seconds = (performance.now() - started) / 1000
console.log(`built dist/ in ${seconds.toFixed(1)} s: the command line has ${Math.round(size / 1024)} KiB`)

function digestOfSources() {
  const files = SOURCES.flatMap((source) =>
    statSync(source).isFile()
      ? [source]
      : readdirSync(source, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => join(parentPath, name)),
  )
  const hash = createHash('sha256').update(process.version)
  for (const file of files.sort())
    if (!NO_SOURCE.test(file)) hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/** Validators contain the parts of ajv that they need. */
async function compileValidators() {
  const schema = readJson('schemas/sluice.config.schema.json')
  return [
    await compileSchema(schema, join(ROOT, 'src/settings/validate.mjs')),
    await compileCrd(),
    await compileOpenApi(),
  ]
}

/**
 * One file with all commands, each of which runs its modules only when it is used; one with the lint alone, which hooks
 * start many times a day, as the time of a start grows with the size of the file; and a small one that starts them.
 * CommonJS, as V8's code cache works only for scripts.
 */
async function bundleCli() {
  const options = {
    ...BUNDLE,
    ...MINIFIED,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    logOverride: { 'empty-import-meta': 'error' },
  }
  const plugins = [fromFile(CLIENT), whenCalled(RE2), whenCalled(CEL)]
  const [main] = await Promise.all([
    build({ ...options, entryPoints: { main: PROCESS, ...THREADS }, plugins }),
    build({ ...options, entryPoints: { lint: PROCESS }, plugins: [...plugins, onlyCommand('lint')] }),
  ])
  const hash = createHash('sha256')
  for (const file of ['main', 'lint']) hash.update(readFileSync(`dist/${file}.cjs`))
  await build({
    ...BUNDLE,
    ...MINIFIED,
    format: 'cjs',
    entryPoints: { cli: 'src/cli/bin.ts' },
    define: { BUNDLE_HASH: JSON.stringify(hash.digest('hex').slice(0, 12)) },
    banner: { js: '#!/usr/bin/env node' },
  })
  chmodSync('dist/cli.js', 0o755)
  writeFileSync('dist/package.json', '{ "type": "commonjs" }\n')
  return main
}

/** Leaves out all commands of the table but one. */
function onlyCommand(name) {
  return {
    name: 'only-command',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\.\// }, ({ path, importer }) =>
        importer === join(ROOT, 'src/cli/core/commands.ts') && path !== `../${name}/${name}.ts`
          ? { path, namespace: 'left-out' }
          : undefined,
      )
      onLoad({ filter: /(?:)/, namespace: 'left-out' }, () => ({ contents: '' }))
    },
  }
}

/** The part of the Kubernetes client that is used. */
async function bundleClient() {
  return await build({
    ...BUNDLE,
    ...MINIFIED,
    format: 'cjs',
    target: 'node22',
    entryPoints: { 'kubernetes-client': CLIENT.source },
    outExtension: { '.js': '.cjs' },
    plugins: [WITHOUT_MODELS],
  })
}

/** The engine of regular expressions in linear time. */
async function bundleRe2() {
  return await build({
    ...BUNDLE,
    ...MINIFIED,
    format: 'cjs',
    entryPoints: { re2: RE2.source },
    outExtension: { '.js': '.cjs' },
  })
}

/** Expressions of CEL, and the library that evaluates them. */
async function bundleCel() {
  return await build({
    ...BUNDLE,
    ...MINIFIED,
    format: 'cjs',
    entryPoints: { cel: CEL.source },
    outExtension: { '.js': '.cjs' },
    plugins: [whenCalled(RE2)],
  })
}

/** Takes the functions of a module from a file beside the bundle, which is loaded when one of them is first called. */
function whenCalled({ source, file, functions }) {
  const contents = functions
    .map((name) => `export const ${name} = (...given) => require('${file}').${name}(...given)`)
    .join('\n')
  return {
    name: 'when-called',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${file.replace('.', '\\.')}$`) }, () => ({ path: file, external: true }))
      onLoad({ filter: new RegExp(`/${basename(source)}$`) }, ({ path }) =>
        path === join(ROOT, source) ? { contents } : undefined,
      )
    },
  }
}

/** Takes a module from a file beside the bundle instead of into it. */
function fromFile({ source, file }) {
  return {
    name: 'from-file',
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`/${basename(source)}$`) }, ({ path, resolveDir }) =>
        join(resolveDir, path) === join(ROOT, source) ? { path: file, external: true } : undefined,
      )
    },
  }
}

/** One file, not minified, as users step through it in a debugger: for browsers, and Node's entry is the same. */
async function bundleLibrary() {
  writeFileSync('dist/index.mjs', "export * from './browser.mjs'\n")
  return await build({
    ...BUNDLE,
    platform: 'browser',
    target: 'es2022',
    entryPoints: { browser: 'src/browser.ts' },
    outExtension: { '.js': '.mjs' },
  })
}

async function emitTypes() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  await promisify(execFile)(process.execPath, [tsc, '-p', 'scripts/tsconfig.types.json']).catch((error) => {
    throw new Error(`tsc could not write dist/types:\n${error.stdout ?? ''}${error.stderr ?? error}`)
  })
}

/** The licences of the packages in the bundles. Throws for a package whose licence is not allowed, or without its text. */
function writeLicences(results) {
  const inputs = results.flatMap(({ metafile }) => Object.values(metafile.outputs).flatMap(partsOf))
  const folders = new Set(inputs.map((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]))
  const texts = [...folders].filter(Boolean).sort().map(licenceOf)
  writeFileSync('dist/THIRD-PARTY-LICENSES.txt', texts.join(`\n${'-'.repeat(80)}\n\n`))
}

/** The modules of which something is in a file. */
function partsOf({ inputs }) {
  return Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []))
}

function licenceOf(folder) {
  const { name, version, license } = readJson(join(folder, 'package.json'))
  if (!ALLOWED.has(license))
    throw new Error(`${folder} has the licence ${license}, which is not among ${[...ALLOWED].join(', ')}`)
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${folder} has no licence text, so it cannot be bundled`)
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}
