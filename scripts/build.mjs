/** Builds everything that is not written by hand: validators, `dist/`, its types, and the licences of bundled packages. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { compileCrd } from './compile-crd.mjs'
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

/** Names are kept, so that stack traces are readable. */
const MINIFIED = { minifyWhitespace: true, minifySyntax: true }

const started = performance.now()
await compileValidators()
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
const [cli, library] = await Promise.all([bundleCli(), bundleLibrary(), emitTypes()])
writeLicences([cli, library])
const { size } = statSync('dist/main.cjs')
const seconds = (performance.now() - started) / 1000
console.log(`built dist/ in ${seconds.toFixed(1)} s: the command line has ${Math.round(size / 1024)} KiB`)

async function compileValidators() {
  const schema = readJson('schemas/sluice.config.schema.json')
  await compileSchema(schema, join(ROOT, 'src/settings/validate.mjs'))
  await compileCrd()
}

/**
 * One file with all commands, each of which runs its modules only when it is used, and a small one that starts it.
 * CommonJS, as V8's code cache works only for scripts.
 */
async function bundleCli() {
  const main = await build({
    ...BUNDLE,
    ...MINIFIED,
    format: 'cjs',
    // Worker threads start from a file of their own.
    entryPoints: { main: 'src/cli/process.ts', 'log-thread': 'src/simulate/logs/threads.ts' },
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    logOverride: { 'empty-import-meta': 'error' },
  })
  const hash = createHash('sha256').update(readFileSync('dist/main.cjs')).digest('hex').slice(0, 12)
  await build({
    ...BUNDLE,
    ...MINIFIED,
    entryPoints: { cli: 'src/cli/bin.ts' },
    define: { BUNDLE_HASH: JSON.stringify(hash) },
    banner: { js: '#!/usr/bin/env node' },
  })
  chmodSync('dist/cli.js', 0o755)
  return main
}

/** One file, not minified, as users step through it in a debugger: for browsers, and Node's entry is the same. */
async function bundleLibrary() {
  writeFileSync('dist/index.js', "export * from './browser.js'\n")
  return await build({ ...BUNDLE, platform: 'browser', target: 'es2022', entryPoints: { browser: 'src/browser.ts' } })
}

async function emitTypes() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  await promisify(execFile)(process.execPath, [tsc, '-p', 'scripts/tsconfig.types.json']).catch((error) => {
    throw new Error(`tsc could not write dist/types:\n${error.stdout ?? ''}${error.stderr ?? error}`)
  })
}

/** The licences of the packages in the bundle. */
function writeLicences(results) {
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs))
  const folders = new Set(inputs.map((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]))
  const texts = [...folders].filter(Boolean).sort().map(licenceOf)
  writeFileSync('dist/THIRD-PARTY-LICENSES.txt', texts.join(`\n${'-'.repeat(80)}\n\n`))
}

function licenceOf(folder) {
  const { name, version, license } = readJson(join(folder, 'package.json'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${folder} has no licence text, so it cannot be bundled`)
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}
