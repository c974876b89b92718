/** The flags of `sluice render`, read and checked. */
import { resolve } from 'node:path'
import { findCertificates } from '../../files/discover/certificates.ts'
import { withSlashes } from '../../files/paths.ts'
import type { RenderQuestion } from '../../queries/render.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Args, Flags } from '../core/flags.ts'
import { INPUT_FLAGS, readChoice } from '../core/inputs.ts'
import { InputError } from '../core/io.ts'

const FORMATS = ['nginx', 'json'] as const
const COMPOSITIONS = ['stack', 'inherit'] as const

/** The flags of the command. */
export const RENDER_FLAGS = {
  gateway: { value: '[NS/]NAME', summary: 'the Gateway to render, where there are several' },
  dir: { value: 'DIR', summary: 'write one file a policy, and what includes them' },
  complete: { summary: 'a whole nginx.conf, not what stands in each context' },
  composition: { value: 'HOW', summary: 'stack or inherit; default: the settings, else stack' },
  'nginx-version': { value: 'V', summary: 'the nginx that reads it; default: as the settings say' },
  upstream: { value: 'SVC=ADDR', summary: '[NS/]SERVICE[:PORT]=HOST:PORT; default: 127.0.0.1' },
  listen: { value: 'ADDR', summary: 'the address to listen on; default: all' },
  port: { value: 'OLD=NEW', summary: 'listen on NEW where a listener says OLD' },
  'port-offset': { value: 'N', summary: 'add N to the ports that --port does not name' },
  'tls-dir': { value: 'DIR', summary: 'NAME.crt and NAME.key by hostname or listener' },
  'socket-dir': { value: 'DIR', summary: 'where inner servers listen; default: /var/run' },
  format: { value: 'NAME', summary: `how to print: ${FORMATS.join(', ')}; the JSON is a contract` },
  world: { value: 'NAME', summary: 'the world that is meant, where the settings name several' },
  ...INPUT_FLAGS,
} as const satisfies Flags

/** The flags as given. */
export type RenderFlags = Args<keyof typeof RENDER_FLAGS>

/** Flags that only a whole configuration has a use for. */
const OF_COMPLETE = ['upstream', 'listen', 'port', 'port-offset', 'tls-dir'] as const

/** What the flags ask for, beside the files. Throws {@link InputError}. */
export function readRenderFlags(given: RenderFlags, cwd: string) {
  const format = readChoice('format', given.value('format'), FORMATS)
  const dir = given.value('dir')
  const complete = given.has('complete')
  const lonely = OF_COMPLETE.find((flag) => given.has(flag))
  if (lonely && !complete) throw new InputError(`--${lonely} is for a whole configuration; add --complete`)
  if (dir !== undefined && given.has('format')) throw new InputError('--dir writes files, --format prints; give one')
  const how: RenderQuestion['how'] = {
    complete,
    files: dir !== undefined || format === 'json',
    address: readAddress(given.value('listen')),
    ports: new Map(given.values('port').map(readPort)),
    portOffset: readOffset(given.value('port-offset')),
    addresses: new Map(given.values('upstream').map(readUpstream)),
    certificates: readCertificates(given.value('tls-dir'), cwd),
    socketDir: readSocketDir(given.value('socket-dir'), cwd),
  }
  return { format, dir, how }
}

/** The settings with what the flags say over them. Throws {@link InputError}. */
export function withRenderFlags(settings: Settings, given: RenderFlags): Settings {
  const version = given.value('nginx-version')
  if (version !== undefined && !/^\d{1,4}(?:\.\d{1,4}){1,2}$/.test(version))
    throw new InputError(`--nginx-version is a version such as 1.31 or 1.22.1; got "${version}"`)
  const composition = given.has('composition')
    ? readChoice('composition', given.value('composition'), COMPOSITIONS)
    : settings.composition
  const nginxVersion = version ?? settings.platform.nginxVersion
  return { ...settings, composition, platform: { ...settings.platform, nginxVersion } }
}

function readAddress(text = ''): string {
  if (text === '' || /^(?:\[[0-9a-f:.]+\]|[\w.-]+|\*)$/i.test(text)) return text
  if (/^[0-9a-f:.]+$/i.test(text)) return `[${text}]`
  throw new InputError(`--listen is an address without a port, such as 127.0.0.1; got "${text}"`)
}

const isPort = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= 65_535

function readPort(text: string): [from: number, to: number] {
  const [, from, to] = /^(\d{1,5})=(\d{1,5})$/.exec(text) ?? []
  if (isPort(Number(from)) && isPort(Number(to))) return [Number(from), Number(to)]
  throw new InputError(`--port is OLD=NEW, such as 443=8443; got "${text}"`)
}

function readOffset(text = '0'): number {
  if (/^-?\d{1,5}$/.test(text)) return Number(text)
  throw new InputError(`--port-offset is a whole number, such as 8000; got "${text}"`)
}

const SERVICE = /^(?:[a-z0-9-]+\/)?[a-z0-9][a-z0-9.-]*(?::\d{1,5})?$/
const ADDRESS = /^(?:(?:[\w.-]+|\[[0-9a-f:.]+\]):\d{1,5}|unix:[\w./+@-]+)$/i

function readUpstream(text: string): [name: string, address: string] {
  const at = text.indexOf('=')
  const [name, address] = [text.slice(0, at), text.slice(at + 1)]
  if (at > 0 && SERVICE.test(name) && ADDRESS.test(address)) return [name, address]
  throw new InputError(`--upstream is [NS/]SERVICE[:PORT]=HOST:PORT, such as coffee=127.0.0.1:9001; got "${text}"`)
}

function readCertificates(folder: string | undefined, cwd: string): RenderQuestion['how']['certificates'] {
  if (folder === undefined) return undefined
  const found = findCertificates(resolve(cwd, folder), withSlashes(folder))
  if ('reason' in found) throw new InputError(`--tls-dir ${found.file}: ${found.reason}`)
  return found
}

/** nginx ends the path of a socket at a colon and expands variables in it. */
function readSocketDir(folder: string | undefined, cwd: string): string {
  const path = folder === undefined ? '/var/run' : withSlashes(resolve(cwd, folder))
  if (/^[\w./+@,~-]+$/.test(path)) return path
  throw new InputError(`--socket-dir: nginx cannot name sockets in "${path}"; letters, digits and -._+@ are safe`)
}
