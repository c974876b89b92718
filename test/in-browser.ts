/** Runs modules where there is no Node: bundled for browsers, in a context with none of Node's globals. */
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'

/** Globals that browsers have too. */
const BROWSER = { TextDecoder, TextEncoder, URLSearchParams, Uint8Array, structuredClone }

/**
 * Bundles a module, whose imports are relative to the project, and runs it; returns the globals that it sets. Throws
 * where something in it needs a module or a global of Node.
 */
export async function runInBrowser(contents: string): Promise<Record<string, unknown>> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: new URL('..', import.meta.url).pathname, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    logLevel: 'silent',
  })
  const context = createContext({ ...BROWSER })
  runInContext(outputFiles[0]?.text ?? '', context)
  return context
}
