/** The shop of `test/fixtures/simulate/shop.txtar`, and reports of `sluice simulate` on it. */
import { readFileSync } from 'node:fs'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { sluice } from '../cli/run.ts'
import { createFolder } from '../files/folder.ts'
import { fileOf, type Known } from '../support/transcripts.ts'
import { type Part, readParts } from '../support/txtar.ts'

const ARCHIVE = readFileSync(new URL('../fixtures/simulate/shop.txtar', import.meta.url), 'utf8')

/** The files of the shop with others, each of which may begin with the text of one before it. */
export function shopWith(parts: readonly Part[]): Readonly<Record<string, string>> {
  const known: Known = new Map()
  for (const part of [...readParts(ARCHIVE).parts, ...parts]) fileOf(part, known)
  return Object.fromEntries(known)
}

/** The report of a command line in a folder with the shop and other files, as JSON. */
export async function reportOf(argv: string, files: Readonly<Record<string, string>> = {}) {
  const cwd = createFolder({ ...shopWith([]), ...files })
  const { stdout, stderr, code } = await sluice(['simulate', ...argv.split(' '), '--format', 'json'], { cwd })
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

/** schemas/simulate.schema.json. */
export const SCHEMA = JSON.parse(readFileSync(new URL('../../schemas/simulate.schema.json', import.meta.url), 'utf8'))

const ajv = new Ajv.default({ allErrors: true, strictTypes: false })
addFormats.default(ajv)

/** True for what the schema allows. */
export const validate = ajv.compile(SCHEMA)
