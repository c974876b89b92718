/** The library for the page: the same functions, whose results come later, as they run in a worker. */
import type { Answered, Asked, Functions } from './functions.ts'

/** A function of the library, as the page calls it. */
type Later<Function> = Function extends (...given: infer Given) => infer Value
  ? (...given: Given) => Promise<Value>
  : never

type Library = { readonly [Name in keyof Functions]: Later<Functions[Name]> }

/** The file of the worker, beside that of the page. The build fills it in. */
declare const WORKER_FILE: string

let started: Library | undefined

/** Starts the worker at the first call. */
export function library(): Library {
  started ??= startLibrary(new Worker(workerUrl(), { type: 'module' }))
  return started
}

/** The part of Trusted Types that is used; browsers without them take the address as it is. */
type TrustedTypes = {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

declare const trustedTypes: TrustedTypes | undefined

/** The one script that the page starts by an address. The server's Content-Security-Policy names the policy. */
function workerUrl(): string {
  const { href } = new URL(WORKER_FILE, import.meta.url)
  if (typeof trustedTypes === 'undefined') return href
  return trustedTypes.createPolicy('sluice-worker', { createScriptURL: () => href }).createScriptURL(href)
}

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
      new Promise<ReturnType<Functions[Name]>>((resolve) => {
        last += 1
        waiting.set(last, (value) => resolve(value as ReturnType<Functions[Name]>))
        const asked: Asked = { id: last, name, given }
        worker.postMessage(asked)
      })
  return {
    effective: later('effective'),
    explain: later('explain'),
    fix: later('fix'),
    lint: later('lint'),
    render: later('render'),
    rules: later('rules'),
    simulate: later('simulate'),
    status: later('status'),
  }
}
