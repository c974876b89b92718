/**
 * Compiles the schema of RateLimitPolicy, as the CRD publishes it, into src/gateway/schema/validate.mjs.
 * Part of the build; alone: `node scripts/compile-crd.mjs`.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from 'js-yaml'
import { compileSchema } from './compile-schema.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const CRD = join(ROOT, 'schemas/ratelimitpolicy.crd.yaml')
const OUTFILE = join(ROOT, 'src/gateway/schema/validate.mjs')
const VERSION = 'v1alpha1'

/** Keywords with the same meaning in a JSON schema and in a CRD. */
const TAKEN = ['enum', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'required']
/** Keywords that are left out: metadata, and CEL expressions, for which there are rules. */
const PASSED_OVER = ['description', 'x-kubernetes-validations', 'x-kubernetes-list-type']

const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }
const TEXTS = { type: ['object', 'null'], additionalProperties: { type: ['string', 'null'] } }

/** The members of ObjectMeta. The API server rejects other types, and values in these maps that are not strings. */
const METADATA = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    name: {},
    generateName: {},
    namespace: {},
    labels: TEXTS,
    annotations: TEXTS,
    finalizers: {},
    ownerReferences: {},
    managedFields: {},
    creationTimestamp: {},
    deletionTimestamp: {},
    deletionGracePeriodSeconds: {},
    generation: {},
    resourceVersion: {},
    selfLink: {},
    uid: {},
  },
}

/** Reads the CRD and writes the validator. Returns the result of esbuild. */
export async function compileCrd() {
  const schema = jsonSchema(load(readFileSync(CRD, 'utf8')))
  const result = await compileSchema({ ...schema, $id: 'ratelimitpolicy' }, OUTFILE)
  const ofLimits = schema.properties.spec.properties.rateLimit.properties.local.properties.rules.items.properties
  const types = Object.entries(ofLimits).map(([name, { type }]) => [name, [type].flat()[0]])
  appendFileSync(OUTFILE, `export const FIELDS = ${JSON.stringify(fieldsOf(schema), null, 2)}\n`)
  appendFileSync(OUTFILE, `export const LIMIT_TYPES = ${JSON.stringify(Object.fromEntries(types), null, 2)}\n`)
  return result
}

function jsonSchema(crd) {
  const published = crd.spec.versions.find(({ name }) => name === VERSION).schema.openAPIV3Schema
  const { spec } = published.properties
  const top = { apiVersion: {}, kind: {}, metadata: METADATA, spec: convert(spec, { optional: false }), status: {} }
  return { type: 'object', required: published.required, additionalProperties: false, properties: top }
}

/** A structural schema as a JSON schema. `null` stands for absence, as the API server removes it; so only optional members may be null. */
function convert(node, { optional }) {
  const { type, format, properties, items, ...keywords } = node
  const unknown = Object.keys(keywords).filter((keyword) => ![...TAKEN, ...PASSED_OVER].includes(keyword))
  if (unknown.length > 0 || (format ?? 'int32') !== 'int32')
    throw new Error(`the compiler of the CRD does not know ${unknown.join(', ') || `format ${format}`}`)
  const taken = Object.fromEntries(Object.entries(keywords).filter(([keyword]) => TAKEN.includes(keyword)))
  return {
    type: optional ? [type, 'null'] : type,
    ...(format === 'int32' ? INT32 : {}),
    ...taken,
    ...(taken.enum && optional ? { enum: [...taken.enum, null] } : {}),
    ...(properties ? { properties: convertProperties(node), additionalProperties: false } : {}),
    ...(items ? { items: convert(items, { optional: false }) } : {}),
  }
}

const convertProperties = ({ properties, required = [] }) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, node]) => [name, convert(node, { optional: !required.includes(name) })]),
  )

/** The known members of every object that allows no others, by pointer; `*` stands for any index. */
function fieldsOf({ properties, items }, pointer = '') {
  if (items) return fieldsOf(items, `${pointer}/*`)
  if (!properties) return {}
  const below = Object.entries(properties).map(([name, node]) => fieldsOf(node, `${pointer}/${name}`))
  return Object.assign({ [pointer]: Object.keys(properties) }, ...below)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await compileCrd()
