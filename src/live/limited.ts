/** Requests that nginx has delayed or rejected, from its error log. Source: nginx, ngx_http_limit_req_handler and ngx_http_log_error. */

/** A request over a rate. */
export type LimitedRequest = {
  /** A dry run only says what would have happened. */
  readonly outcome: 'delayed' | 'rejected' | 'delayed_dry_run' | 'rejected_dry_run'
  readonly zone: string
  /** Requests beyond the rate, to the thousandth. */
  readonly excess: number
  /** The address of the client. */
  readonly client: string
  /** The request line: `GET / HTTP/1.1`. Empty where the record was too long for it. */
  readonly request: string
}

const LIMITED = /^(limiting requests|delaying request)(, dry run)?, excess: (\d+\.\d{3})/

/** Reads the message of a record (`parseRecord` of the driver); undefined for one about anything else. */
export function readLimited(message: string): LimitedRequest | undefined {
  const [head, what, dryRun = '', excess] = LIMITED.exec(message) ?? []
  const [, zone, client] = / by zone "([^"]*)", client: ([^,]*)/.exec(message) ?? []
  if (head === undefined || zone === undefined || client === undefined) return undefined
  const outcome = what === 'limiting requests' ? 'rejected' : 'delayed'
  return {
    outcome: dryRun === '' ? outcome : `${outcome}_dry_run`,
    zone,
    excess: Number(excess),
    client,
    request: requestIn(message),
  }
}

/** The request line may contain anything but a line break: it ends where the next field begins, or the record. */
function requestIn(message: string): string {
  const start = message.indexOf(START)
  if (start < 0) return ''
  const line = message.slice(start + START.length)
  const ends = ENDS.flatMap((end) => (line.includes(end) ? [line.lastIndexOf(end)] : []))
  return ends.length > 0 ? line.slice(0, Math.min(...ends)) : line.replace(/"$/, '')
}

const START = ', request: "'
const ENDS = ['", host: "', '", upstream: "', '", referrer: "']
