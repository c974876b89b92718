/** The form of a request for injection: manifests, and ports that the sidecar leaves alone. */
import { Busboy } from '@fastify/busboy'
import { readPorts } from '../../mesh/inject/ports.ts'
import { nearest } from '../../text/nearest.ts'
import { decodeText } from '../../yaml/decode.ts'
import { refused } from './refusal.ts'

/** What the form says. */
export type InjectForm = {
  readonly text: string
  readonly ignoreIncomingPorts: readonly number[]
  readonly ignoreOutgoingPorts: readonly number[]
}

/** The parts that name ports. */
export const PORT_PARTS = ['ignoreIncomingPorts', 'ignoreOutgoingPorts'] as const

const PARTS = ['file', ...PORT_PARTS] as const
type PartName = (typeof PARTS)[number]

type Part = { readonly name: string; readonly filename: string | undefined; readonly bytes: Buffer }

/** The most parts: one for each port would be more than anybody has. */
const MOST_PARTS = 1000

/** Reads a form. Rejects with `HttpError` 400. */
export async function readInjectForm(body: Buffer, contentType: string): Promise<InjectForm> {
  const parts = await readParts(body, contentType)
  if (parts.length > MOST_PARTS)
    throw refused(`the form has more than ${MOST_PARTS} parts; a part may name several ports`)
  for (const { name } of parts) if (!isPartName(name)) throw refused(unknownPart(name))
  const [file, ...others] = parts.filter(({ name }) => name === 'file')
  if (!file) throw refused('the form has no part "file" with the manifests')
  if (others.length > 0) throw refused('the form has more than one part "file": send one file, with several documents')
  const { text, problem } = decodeText(file.bytes)
  if (problem) throw refused(`the part "file" is ${problem.reason}`)
  return {
    text,
    ignoreIncomingPorts: portsOf(parts, 'ignoreIncomingPorts'),
    ignoreOutgoingPorts: portsOf(parts, 'ignoreOutgoingPorts'),
  }
}

const isPartName = (name: string): name is PartName => PARTS.some((known) => known === name)

function unknownPart(name: string): string {
  const shown = JSON.stringify(name.slice(0, 60))
  const meant = nearest(name.slice(0, 60), PARTS)
  return `unknown part ${shown}; ${meant === undefined ? `known are ${PARTS.join(', ')}` : `did you mean "${meant}"?`}`
}

function portsOf(parts: readonly Part[], name: PartName): readonly number[] {
  const own = parts.filter((part) => part.name === name)
  if (own.some(({ filename }) => filename !== undefined))
    throw refused(`${name} is a file: send the ports themselves, without a filename`)
  const list = readPorts(own.map(({ bytes }) => bytes.toString('utf8')))
  if ('problem' in list) throw refused(`${name}: ${list.problem}`)
  return list.ports
}

/** The parts as bytes, whatever type each says it has. */
function readParts(body: Buffer, contentType: string): Promise<readonly Part[]> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) =>
      reject(refused(`the form cannot be read: ${error instanceof Error ? error.message : String(error)}`))
    try {
      const parts: Part[] = []
      const limits = { parts: MOST_PARTS + 1, fileSize: body.length, headerPairs: 100 }
      const form = new Busboy({ headers: { 'content-type': contentType }, isPartAFile: () => true, limits })
      form.on('file', (name: string | undefined, stream, filename: string | undefined) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
        stream.on('error', fail)
        stream.on('end', () => void parts.push({ name: name ?? '', filename, bytes: Buffer.concat(chunks) }))
      })
      form.on('error', fail)
      form.on('finish', () => resolve(parts))
      form.end(body)
    } catch (error) {
      fail(error)
    }
  })
}
