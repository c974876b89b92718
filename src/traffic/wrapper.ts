/**
 * What container runtimes and their tools put around the lines of a log. Lines are strings of one character a byte.
 * Source: Kubernetes, CRI logging format; `kubectl logs --timestamps --prefix`; Docker, json-file logging driver.
 */
import { toBytes } from './escaping.ts'
import { fieldText, parseObject } from './json-line.ts'

/** `cri`: files below /var/log/pods. `kubectl`: prefixes of `kubectl logs`. `docker`: lines of JSON with a member `log`. */
export const WRAPPERS = ['cri', 'kubectl', 'docker'] as const
/** The name of a wrapper. */
export type Wrapper = (typeof WRAPPERS)[number]

/** A line as the container wrote it. */
export type UnwrappedLine = {
  readonly text: string
  /** True for a line of the standard error, where other things than access logs are written too. */
  readonly isError: boolean
}

/** A piece of a line; long lines come in several, all but the last partial. */
type Piece = UnwrappedLine & { readonly isPartial: boolean }

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`
const CRI = new RegExp(`^${TIME} (stdout|stderr) ([FP])(?::\\S*)?(?: |$)`)
const KUBECTL = new RegExp(`^(?=\\[pod/|\\d)(?:\\[pod/\\S+\\] )?(?:${TIME} )?`)

const READERS: Readonly<Record<Wrapper, (line: string) => Piece | undefined>> = {
  cri(line) {
    const match = CRI.exec(line)
    if (!match) return undefined
    return { text: line.slice(match[0].length), isError: match[1] === 'stderr', isPartial: match[2] === 'P' }
  },
  kubectl(line) {
    const prefix = KUBECTL.exec(line)?.[0] ?? ''
    return prefix === '' ? undefined : { text: line.slice(prefix.length), isError: false, isPartial: false }
  },
  docker(line) {
    const object = parseObject(line)
    const log = object && fieldText(object, 'log')
    if (log === undefined || !object || !Object.hasOwn(object, 'stream')) return undefined
    return {
      text: toBytes(log.replace(/\r?\n$/, '')),
      isError: fieldText(object, 'stream') === 'stderr',
      isPartial: !log.endsWith('\n'),
    }
  },
}

/** True for a line with a wrapper. */
export const isWrapped = (wrapper: Wrapper, line: string): boolean => READERS[wrapper](line) !== undefined

/** Unwraps one line after another; undefined for a piece whose line is not complete yet. */
export type Unwrapper = (line: string) => UnwrappedLine | undefined

/** An unwrapper for the lines of a log in their order. A line without the wrapper is returned as it is. */
export function createUnwrapper(wrapper: Wrapper): Unwrapper {
  const read = READERS[wrapper]
  /** The beginning of a line of the standard output, and of one of the standard error. */
  const begun = ['', '']
  return (line) => {
    const piece = read(line)
    if (!piece) return { text: line, isError: false }
    const stream = piece.isError ? 1 : 0
    const text = `${begun[stream]}${piece.text}`
    begun[stream] = piece.isPartial ? text : ''
    return piece.isPartial ? undefined : { text, isError: piece.isError }
  }
}

/** The complete lines among some with a wrapper. */
export function unwrapLines(wrapper: Wrapper | undefined, lines: readonly string[]): readonly string[] {
  if (wrapper === undefined) return lines
  const unwrap = createUnwrapper(wrapper)
  return lines.flatMap((line) => unwrap(line)?.text ?? [])
}
