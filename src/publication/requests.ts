/**
 * How many requests the limits of each proxy let through, delayed and rejected: nginx writes a line of a few bytes for each
 * into a log of its own, which is read as it grows, and emptied. Source: nginx, `$limit_req_status`.
 */
import { openErrorLog } from '../proxy/error-log.ts'

/** The log, in nginx's prefix. */
export const REQUESTS_LOG = 'requests.log'

/** Requests by what became of them. What a limit in dry run would have done is counted apart: they were passed on. */
export type Requests = {
  /** At once; also where no limit counts. */
  readonly passed: number
  readonly delayed: number
  readonly rejected: number
  readonly delayedDryRun: number
  readonly rejectedDryRun: number
}

export const NO_REQUESTS: Requests = { passed: 0, delayed: 0, rejected: 0, delayedDryRun: 0, rejectedDryRun: 0 }

/** What nginx writes; `-` where there was no limit to ask. */
const FIELDS: ReadonlyMap<string, keyof Requests> = new Map([
  ['-', 'passed'],
  ['PASSED', 'passed'],
  ['DELAYED', 'delayed'],
  ['REJECTED', 'rejected'],
  ['DELAYED_DRY_RUN', 'delayedDryRun'],
  ['REJECTED_DRY_RUN', 'rejectedDryRun'],
])

/** Counts since they were opened. */
export type RequestCounts = {
  /** Reads what is new; the ids of the proxies that had requests. Throws where the log cannot be read. */
  read(): ReadonlySet<string>
  of(id: string): Requests
  /** Forgets all other proxies. */
  keep(ids: ReadonlySet<string>): void
  close(): void
}

/** Bytes that are read at once: the rest waits for the next time. */
const MOST_AT_ONCE = 8 * 1024 * 1024

/** Bytes after which the log is emptied. */
const LARGEST = 4 * 1024 * 1024

/** Begins behind what the log has: when that was is not known. */
export function openRequestCounts(folder: string, largest = LARGEST): RequestCounts {
  const log = openErrorLog(`${folder}/${REQUESTS_LOG}`, MOST_AT_ONCE)
  const counts = new Map<string, Requests>()
  let changed = new Set<string>()
  log.subscribe((line) => {
    const [id = '', status = '', ...more] = line.split(' ')
    const field = FIELDS.get(status)
    if (field === undefined || id === '' || more.length > 0) return
    const before = counts.get(id) ?? NO_REQUESTS
    counts.set(id, { ...before, [field]: before[field] + 1 })
    changed.add(id)
  })
  return {
    read() {
      log.read()
      log.empty(largest)
      const seen = changed
      changed = new Set()
      return seen
    },
    of: (id) => counts.get(id) ?? NO_REQUESTS,
    keep(ids) {
      for (const id of counts.keys()) if (!ids.has(id)) counts.delete(id)
    },
    close: log.close,
  }
}
