/**
 * The program's first file: starts the bundle that holds the rest, with the machine code that an earlier run left.
 *
 * Most of a short run is compiling. Node's own compile cache keeps only what is compiled before a module runs, which is
 * little; V8's code cache, written when a command has run, holds every function that was called. It is stored beside the
 * bundle, so only those who could change the bundle can write it. Where it cannot be written, Node's cache is used.
 * A bundle is ASCII: read as Latin-1, it needs no decoding.
 */
import type { Script } from 'node:vm'
import type { runProcess } from './process.ts'

/** A hash of the bundle; set by the build. */
declare const BUNDLE_HASH: string

type Bundle = { runProcess: typeof runProcess }

// Required, not imported: an import of node:fs would load all of Node's streams for its named exports. The file is
// CommonJS, for which Node does not start its loader of ES modules: an eighth of a short run.
const fs: typeof import('node:fs') = require('node:fs')
const vm: typeof import('node:vm') = require('node:vm')
const { join }: typeof import('node:path') = require('node:path')
const { enableCompileCache, wrap }: typeof import('node:module') = require('node:module')

const folder = __dirname

/** Each command has a cache of its own, as it calls other functions. */
const command = /^[a-z]{2,12}$/.exec(process.argv[2] ?? '')?.[0] ?? 'none'
const file = join(folder, command === 'lint' ? 'lint.cjs' : 'main.cjs')
const cacheFolder = join(folder, '.cache')
const cacheFile = join(cacheFolder, `${BUNDLE_HASH}-${process.version}-${process.arch}-${command}`)

const code = readCode()
if (code || isWritable()) void runScript(code)
else {
  enableCompileCache?.()
  const bundle: Bundle = require(file)
  void bundle.runProcess()
}

async function runScript(cachedData: Buffer | undefined): Promise<void> {
  const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER
  const script = new vm.Script(wrap(fs.readFileSync(file, 'latin1')), {
    filename: file,
    ...(cachedData ? { cachedData } : {}),
    ...(importModuleDynamically === undefined ? {} : { importModuleDynamically }),
  })
  const bundle: { exports: Bundle } = { exports: { runProcess: async () => false } }
  script.runInThisContext()(bundle.exports, require, bundle, file, folder)
  const hasWorked = await bundle.exports.runProcess()
  if (hasWorked && (!cachedData || script.cachedDataRejected)) keepCode(script)
}

function readCode(): Buffer | undefined {
  try {
    return fs.readFileSync(cacheFile)
  } catch {
    return undefined
  }
}

function isWritable(): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Writes beside, then renames, as another run may be reading. A cache that cannot be written is not an error. */
function keepCode(script: Script): void {
  try {
    fs.mkdirSync(cacheFolder, { recursive: true })
    const draft = `${cacheFile}.${process.pid}`
    fs.writeFileSync(draft, script.createCachedData())
    fs.renameSync(draft, cacheFile)
  } catch {}
}
