/** kubeconform, the peer that checks a schema and nothing else: where it is, and the schema in its format. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { load } from 'js-yaml'
import type { Command } from './measure.ts'

const CRD = new URL('../schemas/ratelimitpolicy.crd.yaml', import.meta.url)

type Crd = {
  readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: object } }[] }
}

/** Path of the program, or undefined where it is not installed. */
export function findKubeconform(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), 'go', 'bin')]
  return folders.map((folder) => join(folder, 'kubeconform')).find((path) => existsSync(path))
}

/** A run over a folder of policies, with the schema of our CRD written into `schemas`. */
export function kubeconform(program: string, schemas: string, folder: string): Command {
  const crd = load(readFileSync(CRD, 'utf8')) as Crd
  const [version] = crd.spec.versions
  if (!version) throw new Error('the CRD has no version')
  mkdirSync(schemas, { recursive: true })
  writeFileSync(join(schemas, 'ratelimitpolicy.json'), JSON.stringify(version.schema.openAPIV3Schema))
  return {
    program,
    parameters: ['-schema-location', join(schemas, '{{.ResourceKind}}.json'), folder],
    exits: [0, 1],
  }
}
