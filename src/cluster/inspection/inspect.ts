/** Questions to an API server of which each may fail by itself, a few at a time. Nothing is written: requests of objects are dry runs. */
import { connect } from 'node:tls'
import { isObject, type JsonObject } from '../../json/member.ts'
import { type ApiRequest, requestApi } from '../client/api.ts'
import { reasonOf } from '../client/failure.ts'
import type { KubeConfig } from '../client/library.ts'

/** An answer, or the reason why there is none, as the end of a sentence. */
export type Answer =
  | {
      readonly isAnswered: true
      readonly status: number
      readonly body: JsonObject
      /** The texts of its warnings. */
      readonly warnings: readonly string[]
      /** Milliseconds by which the clock of the server is ahead; undefined where it does not say its time. */
      readonly skew: number | undefined
    }
  | { readonly isAnswered: false; readonly reason: string }

/** Asks; never rejects. */
export type Ask = (request: ApiRequest) => Promise<Answer>

/** Requests at a time: an API server answers many more, but limits the share of one client. */
const AT_A_TIME = 8

/** Opens it; `onAnswer` is called after each answer. */
export function createAsk(kubeconfig: KubeConfig, onAnswer: () => void): Ask {
  const waiting: (() => void)[] = []
  let running = 0
  return async (request) => {
    if (running >= AT_A_TIME) await new Promise<void>((turn) => waiting.push(turn))
    else running++
    try {
      return await ask(kubeconfig, request)
    } finally {
      onAnswer()
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

async function ask(kubeconfig: KubeConfig, { method = 'GET', path, query, body }: ApiRequest): Promise<Answer> {
  const sent = body ? { body: JSON.stringify(body), contentType: 'application/json' } : {}
  const begun = Date.now()
  try {
    const all = { method, path, ...(query ? { query } : {}), accept: 'application/json', ...sent }
    const { status, text, headers } = await requestApi(kubeconfig, all)
    const middle = (begun + Date.now()) / 2
    const time = Date.parse(headers.date ?? '')
    return {
      isAnswered: true,
      status,
      body: parsed(text),
      warnings: warningsIn(headers.warning ?? ''),
      // The header has whole seconds, rounded down.
      skew: Number.isNaN(time) ? undefined : time + 500 - middle,
    }
  } catch (error) {
    return { isAnswered: false, reason: reasonOf(error) }
  }
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return { message: text.trim().slice(0, LONGEST_TEXT) }
  }
}

/** Of a response that is no JSON, such as that of a proxy between. */
const LONGEST_TEXT = 200

/** The texts of the header `Warning`. Source: RFC 7234, 5.5. */
const warningsIn = (header: string): readonly string[] =>
  [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'))

/** What an access review is about: a resource may have a subresource (`pods/status`). */
export type Attributes = {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly name?: string
  readonly namespace?: string
}

/** Whether the caller, or a service account, may do something. */
export async function askRight(
  asking: Ask,
  { resource: full, ...attributes }: Attributes,
  account?: { readonly name: string; readonly namespace: string },
): Promise<{ readonly isAllowed: boolean } | { readonly reason: string }> {
  const [resource, subresource] = full.split('/')
  const spaces = account && `system:serviceaccounts:${account.namespace}`
  const who = account && {
    user: `system:serviceaccount:${account.namespace}:${account.name}`,
    groups: ['system:serviceaccounts', spaces, 'system:authenticated'],
  }
  const answer = await asking({
    method: 'POST',
    path: `/apis/authorization.k8s.io/v1/${account ? 'subjectaccessreviews' : 'selfsubjectaccessreviews'}`,
    body: { spec: { ...who, resourceAttributes: { ...attributes, resource, ...(subresource && { subresource }) } } },
  })
  if (!answer.isAnswered) return answer
  const { status } = answer.body
  if (answer.status >= 300) return { reason: `the API server answers ${answer.status}` }
  return { isAllowed: isObject(status) && status.allowed === true }
}

/** The certificate (PEM) that a server presents, whoever has signed it. Rejects with why there is none. */
export function presentedCertificate(host: string, port: number, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: /[a-z]/i.test(host) ? host : '', rejectUnauthorized: false })
    const end = (call: () => void) => {
      socket.destroy()
      call()
    }
    socket.setTimeout(timeout, () => end(() => reject(new Error('it does not answer'))))
    socket.once('error', (error) => end(() => reject(error)))
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate()?.toString() ?? ''
      end(() => resolve(certificate))
    })
  })
}
