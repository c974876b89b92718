/** Lists of ports that the sidecar leaves alone, as people write them. */
import { isPort } from '../config-fields.ts'

/** Ports, each once, or what is wrong with their text. */
export type PortList = { readonly ports: readonly number[] } | { readonly problem: string }

/** Reads texts of one port or several with commas between them; an empty text names none. */
export function readPorts(texts: readonly string[]): PortList {
  const ports = new Set<number>()
  for (const text of texts.filter((one) => one.trim() !== ''))
    for (const part of text.split(',').map((one) => one.trim())) {
      const port = /^\d{1,5}$/.test(part) ? Number(part) : Number.NaN
      if (!isPort(port)) return { problem: portProblem(part) }
      ports.add(port)
    }
  return { ports: [...ports] }
}

function portProblem(part: string): string {
  const shown = part.length > 30 ? `${part.slice(0, 30)}…` : part
  const range = /^\d{1,5}-\d{1,5}$/.test(part) ? '; write each port of the range' : ''
  return `"${shown}" is not a port from 1 to 65535${range}`
}
