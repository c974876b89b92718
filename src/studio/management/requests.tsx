/** What the limits of a proxy did with its requests, as nginx counts them. */
import { useEffect, useState } from 'preact/hooks'
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { useManagement } from './context.ts'
import { LIVE } from './events.ts'
import type { ProxyPlace } from './place.ts'

type RequestsProps = {
  readonly place: ProxyPlace
  /** As it was read, with its status. */
  readonly proxy: JsonObject
  /** For a cell of a table. */
  readonly isShort?: boolean
}

/** The newest counts; undefined where this server runs no gateway that has the proxy. */
function useRequests({ workspace, name, hostname, version }: ProxyPlace, { status }: JsonObject) {
  const { subscribe } = useManagement()
  const [told, setTold] = useState<JsonObject>()
  const key = JSON.stringify([workspace, name, hostname, version])
  useEffect(() => {
    setTold(undefined)
    return subscribe(({ type, data }) => {
      const isOurs = JSON.stringify([data.workspace, data.name, data.hostname, data.version]) === key
      if (type === LIVE && isOurs && isObject(data.requests)) setTold(data.requests)
    })
  }, [key, subscribe])
  const read = isObject(status) && isObject(status.requests) ? status.requests : undefined
  // A proxy that has left its gateway has none, and a server that was started again counts from 0.
  if (!read || !told) return read
  return String(told.since) >= String(read.since) && countOf(told) >= countOf(read) ? told : read
}

const numberIn = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)

const NAMES = ['passed', 'delayed', 'rejected', 'delayedDryRun', 'rejectedDryRun'] as const

const countOf = (requests: JsonObject): number => NAMES.reduce((sum, name) => sum + numberIn(requests[name]), 0)

export function Requests({ place, proxy, isShort = false }: RequestsProps) {
  const requests = useRequests(place, proxy)
  if (!requests) return null
  const shown = (name: (typeof NAMES)[number]) => numberIn(requests[name]).toLocaleString()
  const isDry = numberIn(requests.delayedDryRun) + numberIn(requests.rejectedDryRun) > 0
  const dry = isDry && `in dry run ${shown('delayedDryRun')} delayed, ${shown('rejectedDryRun')} rejected`
  const words = [`${shown('passed')} passed`, `${shown('delayed')} delayed`, `${shown('rejected')} rejected`]
  const text = [...words, ...(dry ? [dry] : [])].join(', ')
  if (isShort) return countOf(requests) === 0 ? <span class="muted">none</span> : <span>{text}</span>
  return (
    <p class="requests">
      Requests since {new Date(String(requests.since)).toLocaleString()}: {text}.
    </p>
  )
}
