/** What the playground holds, the link that holds all of it, and what of it is kept in the tab, so that a reload does not lose it. */
import type { TextSource } from '../../browser.ts'
import { keep, keptIn } from '../kept.ts'

/** Files, the version before a change, and what is looked at. */
export type PlaygroundState = {
  readonly files: readonly TextSource[]
  /** An earlier version of the files, with which they are compared. */
  readonly previous?: readonly TextSource[]
  /** What requests are simulated for, and limits are shown of: `HTTPRoute/shop/coffee`; undefined for the first there is. */
  readonly target?: string
}

/** The form of links; one that changes gets another number. */
const FORM = '1.'

/** A state as the fragment of an address: packed JSON, so that nothing of it is sent to a server. */
export async function toFragment(state: PlaygroundState): Promise<string> {
  const packed = await transformed(new Blob([JSON.stringify(state)]), new CompressionStream('deflate-raw'))
  const binary = Array.from(new Uint8Array(packed), (byte) => String.fromCharCode(byte)).join('')
  return FORM + btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Reads a fragment. Rejects, with words for a person, where it is cut off or of another form. */
export async function fromFragment(fragment: string): Promise<PlaygroundState> {
  if (!fragment.startsWith(FORM))
    throw new Error('the link is of another version of sluice, or is no link of the playground')
  const state: unknown = await unpacked(fragment.slice(FORM.length)).catch(() => undefined)
  if (isState(state)) return state
  throw new Error('the link is damaged: a part of it may be missing')
}

async function unpacked(text: string): Promise<unknown> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  const json = await transformed(new Blob([bytes]), new DecompressionStream('deflate-raw'))
  return JSON.parse(new TextDecoder().decode(json))
}

const transformed = (blob: Blob, stream: CompressionStream | DecompressionStream): Promise<ArrayBuffer> =>
  new Response(blob.stream().pipeThrough(stream)).arrayBuffer()

/** True for a state, whoever made it. */
function isState(value: unknown): value is PlaygroundState {
  if (typeof value !== 'object' || value === null || !('files' in value)) return false
  const { files } = value
  const previous = 'previous' in value ? value.previous : []
  const target = 'target' in value ? value.target : ''
  return isFiles(files) && files.length > 0 && isFiles(previous) && typeof target === 'string'
}

const isFiles = (value: unknown): value is readonly TextSource[] =>
  Array.isArray(value) &&
  value.every(
    (one: unknown) =>
      typeof one === 'object' &&
      one !== null &&
      'file' in one &&
      'text' in one &&
      typeof one.file === 'string' &&
      typeof one.text === 'string',
  )

/** A route or a Gateway that limits may be of, as the library's `effective` names it. */
const TARGETS = /^(?:kind| {2}name| {2}namespace|metadata): ?(.*)$/gm

/** The routes, Gateways and API proxies in texts, for a list to choose from. Texts in other styles of YAML may be left out. */
export function targetsIn(files: readonly TextSource[]): readonly string[] {
  const found = files.flatMap(({ text }) => text.split(/^---.*$/m).flatMap((document) => targetOf(document) ?? []))
  return [...new Set(found)].sort((a, b) => rank(a) - rank(b))
}

/** Requests come to routes: they are first. */
const rank = (target: string): number =>
  ['HTTPRoute/', 'GRPCRoute/', 'Gateway/'].findIndex((kind) => target.startsWith(kind))

function targetOf(document: string): string | undefined {
  const proxy = /^(?:name| {2}"name"|\{"name"): ?"?([\w.-]+)/m.exec(document)?.[1]
  if (proxy !== undefined && /\bproxyConfig\b|"policies"/.test(document)) return `Proxy/${proxy}`
  const members = new Map(
    [...document.matchAll(TARGETS)].map(([whole, value = '']) => [whole.split(':')[0]?.trim(), value]),
  )
  const kind = members.get('kind')?.trim()
  if (kind !== 'HTTPRoute' && kind !== 'GRPCRoute' && kind !== 'Gateway') return undefined
  const inline = members.get('metadata') ?? ''
  const name = members.get('name')?.trim() ?? /\bname: *([\w.-]+)/.exec(inline)?.[1]
  const namespace = members.get('namespace')?.trim() ?? /\bnamespace: *([\w.-]+)/.exec(inline)?.[1]
  return name === undefined ? undefined : [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/')
}

/** The state, the file in the editor, and the link that it began with: the fragment of an address, or empty. */
export type PlaygroundDraft = { readonly link: string; readonly state: PlaygroundState; readonly file: string }

const NAME = 'playground'

/** Keeps what was changed; false where it is too large for the browser, so that a reload would lose it. */
export const keepDraft = (draft: PlaygroundDraft): boolean => keep(NAME, draft)

export const dropDraft = (): void => void keep(NAME, undefined)

/** What was kept, for a link; undefined where there is nothing, and where the link is another one than it began with. */
export function draftFor(link: string): PlaygroundDraft | undefined {
  const kept = keptIn<unknown>(NAME)
  return isDraft(kept) && (link === '' || link === kept.link) ? kept : undefined
}

const isDraft = (value: unknown): value is PlaygroundDraft =>
  typeof value === 'object' &&
  value !== null &&
  'link' in value &&
  'state' in value &&
  'file' in value &&
  typeof value.link === 'string' &&
  typeof value.file === 'string' &&
  isState(value.state)
