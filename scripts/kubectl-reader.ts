/** What kubectl reads of a text, without a cluster: a program of its own decoder that answers many texts in one call. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { buildGoProgram, findGoProgram, type GoProgram } from './go-program.ts'

const FOLDER = new URL('kubectl-reader/', import.meta.url)

/** The release of kubectl whose decoder it is; go.mod pins its modules. */
const KUBECTL_VERSION = '1.32.4'

const sources = ['main.go', 'go.mod'].map((name) => readFileSync(new URL(name, FOLDER)))
const digest = createHash('sha256').update(Buffer.concat(sources)).digest('hex').slice(0, 8)

const KUBECTL_READER: GoProgram = {
  name: 'kubectl-reader',
  version: `${KUBECTL_VERSION}-${digest}`,
  path: FOLDER,
  variable: 'SLUICE_KUBECTL_READER',
}

/** The path of the program; undefined where it is not installed. */
export const findKubectlReader = (): string | undefined => findGoProgram(KUBECTL_READER)

/** Builds the program. Returns whether it succeeded. */
export const buildKubectlReader = (): boolean => buildGoProgram(KUBECTL_READER)

/**
 * What kubectl reads of a file: its documents up to the first error, that error, empty where there is none, and whether
 * it silently passes over a part of the file.
 */
export type KubectlAnswer = {
  readonly documents: readonly unknown[]
  readonly error: string
  readonly partial: boolean
}

/** What kubectl reads of each file, given as its text or its bytes. Throws where the program is missing or fails. */
export function askKubectl(files: readonly (string | Uint8Array)[]): readonly KubectlAnswer[] {
  const program = findKubectlReader()
  if (program === undefined) throw new Error(`${KUBECTL_READER.name} is not built: run npm run provide`)
  const input = files.map((file) => `${Buffer.from(file).toString('base64')}\n`).join('')
  const { status, stdout, stderr, error } = spawnSync(program, [], { input, encoding: 'utf8', maxBuffer: 2 ** 30 })
  if (error) throw error
  if (status !== 0) throw new Error(`${KUBECTL_READER.name} failed: ${stderr}`)
  return stdout
    .trimEnd()
    .split('\n')
    .slice(0, files.length)
    .map((line): KubectlAnswer => JSON.parse(line))
}
