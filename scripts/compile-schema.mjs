/** Compiles JSON schemas to validators that need neither the schema nor ajv at run time. */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Ajv } from 'ajv'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'

/**
 * Compiles a schema into one self-contained ES module that exports `errorsOf(value)`:
 * the errors of ajv, each with the schema that was not met, or an empty list. Returns the result of esbuild with its metafile.
 */
export async function compileSchema(schema, outfile, options = {}) {
  const ajv = new Ajv({
    ...options,
    allErrors: true,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  })
  const source = standaloneCode(ajv, { validate: schema.$id }, ajv.addSchema(schema).getSchema(schema.$id))
  const contents = `${source}\nexport const errorsOf = (value) => (validate(value) ? [] : validate.errors)\n`
  return await writeModule(contents, outfile)
}

/** Bundles a module with what it imports, and writes it. Returns the result of esbuild with its metafile. */
export async function writeModule(contents, outfile) {
  const result = await build({
    stdin: { contents, resolveDir: dirname(outfile), loader: 'js' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
    metafile: true,
    logLevel: 'error',
  })
  writeFileSync(outfile, result.outputFiles[0].text)
  return result
}

/** Reads a JSON file. */
export const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))
