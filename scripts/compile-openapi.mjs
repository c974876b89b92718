/** Compiles the OpenAPI document of the management API to functions that need neither the document nor ajv at run time. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'
import { writeModule } from './compile-schema.mjs'

const FOLDER = 'src/servers/api-management/openapi'
const OUTFILE = `${FOLDER}/validate.mjs`

/** Writes a module that exports `errorsOf(name, value)`. Returns the result of esbuild with its metafile. */
export async function compileOpenApi() {
  const { OPERATIONS } = await importSource(`${FOLDER}/operations.ts`)
  const { SCHEMAS } = await importSource(`${FOLDER}/schemas.ts`)
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  })
  ajv.addSchema(withReferences({ $id: 'api', $defs: SCHEMAS }))
  const schemas = schemasOf(OPERATIONS)
  const exported = Object.fromEntries(schemas.map(([id]) => [id, `request-${id}`]))
  for (const [id, schema] of schemas) ajv.addSchema({ $id: `request-${id}`, ...withReferences(schema) })
  const source = standaloneCode(ajv, exported)
  const names = schemas.map(([id]) => id).join(', ')
  const contents = `${source}
const validators = { ${names} }
export const errorsOf = (name, value) => (validators[name](value) ? [] : validators[name].errors)
`
  return await writeModule(contents, OUTFILE)
}

/** What is validated: the parameters of each operation, by its id, and each body, by the name of its schema. */
function schemasOf(operations) {
  const bodies = new Set(operations.flatMap(({ body }) => body))
  return [
    ...operations.map(({ id, parameters }) => [id, parametersSchema(parameters)]),
    ...[...bodies].map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
  ]
}

/** Names of headers are in lower case, as Node has them. */
function parametersSchema(parameters) {
  const those = (place) => {
    const own = parameters.filter((one) => one.in === place)
    return Object.fromEntries(own.map(({ name, schema }) => [place === 'header' ? name.toLowerCase() : name, schema]))
  }
  const query = { type: 'object', properties: those('query'), additionalProperties: false }
  return { type: 'object', properties: { query, header: { type: 'object', properties: those('header') } } }
}

/** Schemas refer to each other as in the document; ajv finds them below one schema. */
const withReferences = (schema) =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"api#/$defs/'))

/** Imports a module of the sources, whatever Node runs this. */
async function importSource(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  })
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`)
}
