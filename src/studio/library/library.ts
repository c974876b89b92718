/** The library for the page: the same functions, whose results come later, as they run in a worker. */
import type { Answered, Asked, Functions } from './functions.ts'

/** A function of the library, as the page calls it. */
type Later<Function> = Function extends (...given: infer Given) => infer Value
  ? (...given: Given) => Promise<Awaited<Value>>
  : never

export type Library = { readonly [Name in keyof Functions]: Later<Functions[Name]> }

/** The file of the worker, beside that of the page. The build fills it in. */
declare const WORKER_FILE: string

let started: Library | undefined

/** Starts the worker at the first call. */
export function library(): Library {
  started ??= openLibrary().library
  return started
}

/** A library in a worker of its own, for what takes long or may be cancelled: after `close` no call is answered. */
export function openLibrary(): { readonly library: Library; close(): void } {
  const worker = new Worker(workerUrl(), { type: 'module' })
  return { library: startLibrary(worker), close: () => worker.terminate() }
}

/** The part of Trusted Types that is used; browsers without them take the address as it is. */
type TrustedTypes = {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

declare const trustedTypes: TrustedTypes | undefined

let trustedUrl: string | undefined

/**
 * The one script that the page starts by an address. The server's Content-Security-Policy names the policy, which may be
 * created once.
 */
function workerUrl(): string {
  trustedUrl ??= trustWorker(new URL(WORKER_FILE, import.meta.url).href)
  return trustedUrl
}

const trustWorker = (href: string): string =>
  typeof trustedTypes === 'undefined'
    ? href
    : trustedTypes.createPolicy('sluice-worker', { createScriptURL: () => href }).createScriptURL(href)

function startLibrary(worker: Worker): Library {
  const waiting = new Map<number, (value: unknown) => void>()
  let last = 0
  worker.addEventListener('message', ({ data }: MessageEvent<Answered>) => {
    waiting.get(data.id)?.(data.value)
    waiting.delete(data.id)
  })
  const later =
    <Name extends keyof Functions>(name: Name) =>
    (...given: Parameters<Functions[Name]>) =>
      new Promise<Awaited<ReturnType<Functions[Name]>>>((resolve) => {
        last += 1
        waiting.set(last, (value) => resolve(value as Awaited<ReturnType<Functions[Name]>>))
        const asked: Asked = { id: last, name, given }
        worker.postMessage(asked, { transfer: given.filter((one) => one instanceof MessagePort) })
      })
  return {
    admit: later('admit'),
    effective: later('effective'),
    explain: later('explain'),
    formatEffective: later('formatEffective'),
    formatSimulation: later('formatSimulation'),
    formatStatus: later('formatStatus'),
    lint: later('lint'),
    render: later('render'),
    simulate: later('simulate'),
    simulateFile: later('simulateFile'),
    status: later('status'),
  }
}
