/** Makes everything that is not written by hand: validators, `dist/`, its types and the licences of what it bundles. */
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { compileSchema, readJson } from './compile-schema.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
process.chdir(ROOT)
const MANIFEST = readJson('package.json')

/** Bundled are the development dependencies; what a user installs beside us stays outside. */
const BUNDLE = {
  bundle: true,
  splitting: true,
  outdir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: Object.keys(MANIFEST.dependencies ?? {}),
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
}

const started = performance.now()
await compileValidators()
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
const [cli, library] = await Promise.all([bundleCli(), bundleLibrary(), emitTypes()])
writeLicences([cli, library])
const size = Object.values(cli.metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0)
const seconds = (performance.now() - started) / 1000
console.log(`built dist/ in ${seconds.toFixed(1)} s: the command line has ${Math.round(size / 1024)} KiB`)

async function compileValidators() {
  const schema = readJson('schemas/sluice.config.schema.json')
  await compileSchema(schema, join(ROOT, 'src/engine/settings-validate.mjs'))
  if (existsSync('scripts/compile-crd.mjs')) await import('./compile-crd.mjs')
}

async function bundleCli() {
  const result = await build({
    ...BUNDLE,
    entryPoints: { cli: 'src/cli/bin.ts' },
    banner: { js: '#!/usr/bin/env node' },
    chunkNames: 'cli-[name]-[hash]',
  })
  stripShebangs()
  chmodSync('dist/cli.js', 0o755)
  return result
}

/** esbuild writes the banner into every chunk; only the entry is run by a shell. */
function stripShebangs() {
  for (const name of readdirSync('dist')) {
    if (!name.startsWith('cli-')) continue
    const file = join('dist', name)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^#!.*\n/, ''))
  }
}

/** One file, readable: who debugs their program steps through it. */
function bundleLibrary() {
  return build({
    ...BUNDLE,
    splitting: false,
    minifyWhitespace: false,
    minifySyntax: false,
    entryPoints: { index: 'src/index.ts' },
  })
}

async function emitTypes() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  await promisify(execFile)(process.execPath, [tsc, '-p', 'scripts/tsconfig.types.json']).catch((error) => {
    throw new Error(`tsc could not write dist/types:\n${error.stdout ?? ''}${error.stderr ?? error}`)
  })
}

/** What we ship in our bundle, we ship with its licence. */
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
