/** What happens at the server, told by it: one stream for the whole page, which is opened again when it breaks. */
import { isObject, type JsonObject } from '../../json/member.ts'
import { BASE } from './api.ts'

/** Something that happened, such as `proxy.state`; `reset`: much of it, of which nothing is known. */
export type ServerEvent = { readonly type: string; readonly data: JsonObject }

/** Counts of requests, every second: nothing that was read before is old by it. */
export const LIVE = 'proxy.requests'

const TYPES = [
  ...['created', 'changed', 'deleted'].flatMap((what) => [`workspace.${what}`, `environment.${what}`, `proxy.${what}`]),
  ...['environment.restored', 'proxy.restored', 'proxy.state', 'reset', LIVE],
]

/** Milliseconds: until a stream that was refused is tried again; without a stream, until it is said. */
const RETRY = 2_000
const PATIENCE = 4_000

type Listeners = {
  onEvent(event: ServerEvent): void
  /** False: the server has not answered for some seconds. True: it does. */
  onReachable(isReachable: boolean): void
  /** The server has a stream for nobody: who is signed in must be asked. Resolves to whether somebody is. */
  isSignedIn(): Promise<boolean>
}

/** Follows them until the function that it returns is called. */
export function followEvents({ onEvent, onReachable, isSignedIn }: Listeners): () => void {
  let source: EventSource | undefined
  let isStopped = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    if (isStopped) return
    source = new EventSource(`${BASE}/events`)
    source.addEventListener('open', () => {
      clearTimeout(silence)
      silence = undefined
      onReachable(true)
      // What happened since something was read, and before there was a stream, or another one, is sent by none.
      onEvent({ type: 'reset', data: {} })
    })
    source.addEventListener('error', () => {
      silence ??= setTimeout(() => onReachable(false), PATIENCE)
      // A browser asks again by itself, but not where it was refused.
      if (source?.readyState === EventSource.CLOSED) void reopen()
    })
    for (const type of TYPES)
      source.addEventListener(type, ({ data }: MessageEvent<string>) => onEvent({ type, data: objectIn(data) }))
  }
  const reopen = async () => {
    source?.close()
    const isKnown = await isSignedIn().catch(() => true)
    if (isKnown && !isStopped) retry = setTimeout(open, RETRY)
  }
  open()
  return () => {
    isStopped = true
    source?.close()
    clearTimeout(retry)
    clearTimeout(silence)
  }
}

function objectIn(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}
