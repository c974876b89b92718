/** What happens, as server-sent events: kept in the store, so that whoever was away resumes where he was. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError } from '../../http/http-error.ts'
import type { JsonObject } from '../../json/member.ts'
import type { Change, EventReader, StoredEvent } from '../../store/store.ts'
import type { Principal } from './access/access.ts'
import { refusedAt } from './call.ts'

/** A change that appends an event. */
export const eventOf = (type: string, at: number, workspace: string, data: StoredEvent['data']): Change => ({
  put: 'event',
  value: { at, type, workspace, data },
})

/** The streams of events that are open. */
export type Feed = {
  /** Sends what is new. */
  wake(): void
  /** Sends what is of this moment, and is not kept: whoever does not read now never gets it. */
  tell(type: string, workspace: string, data: JsonObject): void
  /** True where somebody follows. */
  isFollowed(): boolean
  /** Sends events until the client leaves. Throws 400 and 503. */
  follow(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void>
  stop(): void
}

/** Milliseconds between comments, by which both ends see that the other one is there. */
const HEARTBEAT = 15_000

/** Milliseconds until a client that reads nothing is left. It resumes when it connects again. */
const PATIENCE = 30_000

/** Events that are read at once. */
const BATCH = 200

/** Streams that are open at once. */
const MOST_STREAMS = 500

/** Milliseconds until a stream ends: whoever resumes is asked again who he is, and has the roles of then. */
const LONGEST = 15 * 60_000

/** Creates the feed of a store. `longest` is how long a stream lasts, in milliseconds. */
export function createEvents(store: EventReader, longest = LONGEST, wallClock = Date.now): Feed {
  const streams = new Set<Stream>()
  return {
    wake() {
      for (const stream of streams) stream.wake()
    },
    tell(type, workspace, data) {
      for (const stream of streams) stream.tell({ id: 0, at: wallClock(), type, workspace, data })
    },
    isFollowed: () => streams.size > 0,
    async follow(request, response, principal) {
      const { after, workspace } = readQuestion(request)
      const { oldest, newest } = await store.eventRange()
      if (streams.size >= MOST_STREAMS)
        throw new HttpError(503, 'too many streams of events are open', { retryAfter: 60 })
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
      if (request.method === 'HEAD') return void response.end()
      response.flushHeaders()
      const isLost = after !== undefined && (after > newest || after < oldest - 1)
      if (isLost) response.write(`id: ${newest}\nevent: reset\ndata: {}\n\n`)
      const isWanted = (event: StoredEvent) =>
        principal.mayRead(event.workspace) && (workspace === undefined || event.workspace === workspace)
      const stream = openStream({ store, response, isWanted, from: isLost ? newest : (after ?? newest) })
      streams.add(stream)
      const end = setTimeout(stream.end, longest)
      response.on('close', () => {
        streams.delete(stream)
        clearTimeout(end)
        stream.stop()
      })
    },
    stop() {
      for (const stream of streams) stream.end()
    },
  }
}

/** Reads `Last-Event-ID` and `?workspace=`. */
function readQuestion({ headers, url = '' }: IncomingMessage) {
  const id = headers['last-event-id']
  if (id !== undefined && !/^\d{1,15}$/.test(String(id)))
    throw refusedAt('/header/last-event-id', 'Last-Event-ID must be a number', 'Send the id of the last event.')
  const sent = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
  for (const name of sent.keys())
    if (name !== 'workspace')
      throw refusedAt(`/query/${name}`, 'there is no such parameter', 'Remove it; there is workspace.')
  return { after: id === undefined ? undefined : Number(id), workspace: sent.get('workspace') ?? undefined }
}

type Stream = { wake(): void; tell(event: StoredEvent): void; stop(): void; end(): void }

type StreamOptions = {
  readonly store: EventReader
  readonly response: ServerResponse
  isWanted(event: StoredEvent): boolean
  /** The id behind which it begins. */
  readonly from: number
}

/** Reads no further than the client does, so that a slow one costs no memory. */
function openStream({ store, response, isWanted, from }: StreamOptions): Stream {
  let last = from
  let isRunning = false
  let isDirty = false
  let patience: NodeJS.Timeout | undefined
  const pump = async () => {
    do {
      isDirty = false
      const events = await store.events(last, BATCH)
      for (const event of events) {
        last = event.id
        if (isWanted(event)) response.write(written(event))
      }
      if (events.length === BATCH) isDirty = true
    } while (isDirty && !response.writableNeedDrain && !response.destroyed)
    isRunning = false
  }
  const wake = () => {
    isDirty = true
    if (response.writableNeedDrain) patience ??= setTimeout(() => response.destroy(), PATIENCE)
    if (isRunning || response.writableNeedDrain || response.destroyed) return
    isRunning = true
    pump().catch(() => response.destroy())
  }
  response.on('drain', () => {
    clearTimeout(patience)
    patience = undefined
    wake()
  })
  const heartbeat = setInterval(() => {
    if (response.writableNeedDrain) wake()
    else response.write(':\n\n')
  }, HEARTBEAT)
  wake()
  return {
    wake,
    tell(event) {
      if (isWanted(event) && !response.writableNeedDrain && !response.destroyed) response.write(dataOf(event))
    },
    stop() {
      clearInterval(heartbeat)
      clearTimeout(patience)
    },
    end: () => void response.end(),
  }
}

const written = (event: StoredEvent): string => `id: ${event.id}\n${dataOf(event)}`

const dataOf = ({ at, type, workspace, data }: StoredEvent): string =>
  `event: ${type}\ndata: ${JSON.stringify({ at: new Date(at).toISOString(), workspace, ...data })}\n\n`
