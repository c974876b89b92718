/** schemas/simulate.schema.json. */
import { readFileSync } from 'node:fs'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

export const SCHEMA = JSON.parse(readFileSync(new URL('../../schemas/simulate.schema.json', import.meta.url), 'utf8'))

const ajv = new Ajv.default({ allErrors: true, strictTypes: false })
addFormats.default(ajv)

/** True for what the schema allows. */
export const validate = ajv.compile(SCHEMA)
