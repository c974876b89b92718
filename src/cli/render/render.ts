/** `sluice render`. */

import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describeSystemError, type InputProblem } from '../../files/input-problem.ts'
import { withSlashes } from '../../files/paths.ts'
import { writeFolder } from '../../files/write/new-files.ts'
import { queryRender, type RenderedGateway, type RenderQuery, type RenderResult } from '../../queries/render.ts'
import { SOCKET_FOLDER } from '../../queries/render-values.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { renderFolders, renderJson, renderText } from '../../reports/render.ts'
import type { Settings } from '../../settings/settings.ts'
import { type Command, command } from '../core/command.ts'
import type { Flags, Args as ParsedArgs } from '../core/flags.ts'
import { COMPOSITIONS, INPUT_FLAGS, readChoice, readComposition } from '../core/inputs.ts'
import { InputError, type Io } from '../core/io.ts'
import { runQuery } from '../core/query.ts'
import { isPort, readAddress, readNginxVersion, readUpstream } from './read-flags.ts'
import { renderSidecarCommand, SIDECAR_FLAGS } from './sidecar.ts'

const FORMATS = ['nginx', 'json'] as const

const FLAGS = {
  gateway: { value: '[NS/]NAME', summary: 'the Gateway to render, if there are several' },
  dir: { value: 'DIR', summary: 'write one file for each policy, and files that include them' },
  complete: { summary: 'a whole nginx.conf instead of the directives of each context' },
  composition: {
    value: 'MODE',
    choices: COMPOSITIONS,
    summary: 'stack or inherit; default: as in the settings, else stack',
  },
  'nginx-version': { value: 'V', summary: 'the nginx version to write for; default: as in the settings' },
  upstream: { value: 'SVC=ADDR', summary: '[NS/]SERVICE[:PORT]=HOST:PORT; default: 127.0.0.1' },
  listen: { value: 'ADDR', summary: 'the address to listen on; default: all' },
  port: { value: 'OLD=NEW', summary: 'listen on NEW where a listener has port OLD' },
  'port-offset': { value: 'N', summary: 'add N to the ports that --port does not name' },
  'tls-dir': { value: 'DIR', summary: 'NAME.crt and NAME.key by hostname or listener' },
  'socket-dir': { value: 'DIR', summary: 'the folder of internal sockets; default: /var/run' },
  format: { value: 'NAME', choices: FORMATS, summary: `output format: ${FORMATS.join(', ')}; the JSON is a contract` },
  world: { value: 'NAME', summary: 'the world to look in, if the settings define several' },
  ...SIDECAR_FLAGS,
  ...INPUT_FLAGS,
} as const satisfies Flags

type Args = ParsedArgs<keyof typeof FLAGS>

/** `sluice render`. */
export const renderCommand: Command = command({
  name: 'render',
  summary: 'write the nginx configuration of a Gateway, or of API proxies',
  usage: '[paths…] [flags]',
  details: `Renders the Gateway in these files: zones and the limits of the Gateway in the
http context, the limits of each route in its locations. Paths are the same as
for lint. Without --complete it prints the directives of each context, with it a
whole nginx.conf, to test with nginx -t or to send requests to. Comments at the
top name the composition, and what is left out. --upstream and --port may be
repeated. Bodies of API proxies are rendered as one nginx that listens on port
80; --upstream then names HOST[:PORT] of a target.

With --sidecar it prints the whole configuration of a sidecar of the service
mesh, transparent where proxy.transparent of the mesh is true. -f names the
configuration of the mesh, a part of it, or its ConfigMap; - is the standard
input. --upstream then names a Pod of a Service that is called, and other hosts
are answered with 502 where there is no --resolver. What the configuration asks
for and the sidecar does not do, such as mutual TLS, is a warning for each
field; with --strict nothing is printed then, and the exit code is 1.`,
  flags: FLAGS,
  examples: [
    { line: 'sluice render examples/shop', does: 'the directives of each context' },
    { line: 'sluice render examples/shop --composition inherit', does: 'as NGINX Gateway Fabric writes them' },
    {
      line: 'sluice render examples/shop --gateway shop/storefront --dir out',
      does: 'one file for each policy, as NGINX Gateway Fabric has them',
    },
    {
      line: 'sluice render examples/shop --complete --dir out',
      does: 'a whole configuration; test it with nginx -t -p out -c nginx.conf',
    },
    {
      line: 'sluice render examples/shop --complete --upstream tea=127.0.0.1:9001',
      does: 'requests for the service "tea" go to a port of this machine',
    },
    {
      line: 'sluice render examples/api-management/menu.yaml --complete --port 80=8080',
      does: 'the nginx.conf of an API proxy',
    },
    { line: 'sluice render --sidecar --container-port 8080', does: 'the nginx.conf of a sidecar of the service mesh' },
  ],
  run: async (io, args) => {
    if (args.has('sidecar')) return await renderSidecarCommand(io, args)
    const { format, dir, how } = readHow(args, io.cwd)
    return await runQuery(io, args, {
      paths: args.positionals,
      formats: FORMATS,
      ask: ({ project: { settings }, collected, closedWorld, namespace }) =>
        queryRender(collected, {
          settings: withFlags(settings, args),
          closedWorld,
          how,
          namespace,
          gateway: args.value('gateway'),
          world: args.value('world'),
          several: dir !== undefined || format === 'json',
        }),
      leftOut: ({ notJudged }) => notJudged,
      show(result, { inputs, notJudged, print }) {
        if (dir !== undefined) writeFiles(dir, result, io)
        else
          print({
            nginx: (page) => renderText(result, page),
            json: () => renderJson({ ...result, notJudged }, withFlags(inputs.project.settings, args).composition),
          })
        printNotes(result, io)
      },
    })
  },
})

/** Writes the files and prints the path of each on a line. Throws {@link InputError}. */
function writeFiles(folder: string, result: RenderResult, { stdout, cwd }: Io): void {
  const written = writeFolder(folder, renderFolders(result), cwd)
  if ('problem' in written) throw new InputError(escapeUnsafe(`${written.problem.file}: ${written.problem.reason}`))
  for (const file of written.files) stdout.write(`${escapeUnsafe(file)}\n`)
}

/** Prints notes, save those about what is left out, which is printed already. */
function printNotes({ gateways, notes, notJudged }: RenderResult, { stderr }: Io): void {
  const isPrinted = new Set(notJudged.map(({ file, reason }) => `${file}: ${reason}`))
  for (const note of [...notes.filter((one) => !isPrinted.has(one)), ...gateways.flatMap(loopNotes)])
    stderr.write(`note: ${escapeUnsafe(note)}\n`)
}

/** A backend without an address is assumed on this machine, where it may be the address of nginx itself. */
const loopNotes = ({ loops }: RenderedGateway): readonly string[] =>
  loops.map((backend) => {
    const port = backend.slice(backend.lastIndexOf(':') + 1)
    return `the address of ${backend} would be 127.0.0.1:${port}, which is this nginx itself; set it with --upstream`
  })

/** Flags that only a whole configuration uses. */
const COMPLETE_ONLY = ['upstream', 'listen', 'port', 'port-offset', 'tls-dir'] as const

/** What to render, and where to write it. Throws {@link InputError}. */
function readHow(args: Args, cwd: string) {
  const format = readChoice('format', args.value('format'), FORMATS)
  const dir = args.value('dir')
  const complete = args.has('complete')
  const useless = COMPLETE_ONLY.find((flag) => args.has(flag))
  if (useless && !complete) throw new InputError(`--${useless} needs a whole configuration; add --complete`)
  if (dir !== undefined && args.has('format'))
    throw new InputError('--dir writes files and --format prints; use only one of them')
  const how: RenderQuery['how'] = {
    complete,
    files: dir !== undefined || format === 'json',
    address: readAddress(args.value('listen')),
    ports: new Map(args.values('port').map(readPort)),
    portOffset: readOffset(args.value('port-offset')),
    addresses: new Map(args.values('upstream').map(readUpstream)),
    certificates: readCertificates(args.value('tls-dir'), cwd),
    socketDir: readSocketDir(args.value('socket-dir'), cwd),
  }
  return { format, dir, how }
}

/** The settings, overridden by the flags. Throws {@link InputError}. */
function withFlags(settings: Settings, args: Args): Settings {
  const version = readNginxVersion(args.value('nginx-version'))
  const composition = readComposition(args) ?? settings.composition
  const nginxVersion = version ?? settings.platform.nginxVersion
  return { ...settings, composition, platform: { ...settings.platform, nginxVersion } }
}

function readPort(text: string): [from: number, to: number] {
  const [, from, to] = /^(\d{1,5})=(\d{1,5})$/.exec(text) ?? []
  if (isPort(Number(from)) && isPort(Number(to))) return [Number(from), Number(to)]
  throw new InputError(`--port must be OLD=NEW, such as 443=8443; got "${text}"`)
}

function readOffset(text = '0'): number {
  if (/^-?\d{1,5}$/.test(text)) return Number(text)
  throw new InputError(`--port-offset must be a whole number, such as 8000; got "${text}"`)
}

function readCertificates(folder: string | undefined, cwd: string): RenderQuery['how']['certificates'] {
  if (folder === undefined) return undefined
  const found = findCertificates(resolve(cwd, folder), withSlashes(folder))
  if ('reason' in found) throw new InputError(`--tls-dir ${found.file}: ${found.reason}`)
  return found
}

function readSocketDir(folder: string | undefined, cwd: string): string {
  const path = folder === undefined ? '/var/run' : withSlashes(resolve(cwd, folder))
  if (SOCKET_FOLDER.test(path)) return path
  throw new InputError(
    `--socket-dir: nginx cannot use "${path}" in the path of a socket; use letters, digits and -._+@`,
  )
}

/** The files of a certificate, as absolute paths. */
export type CertificateFiles = { readonly certificate: string; readonly key: string }

/** Finds the pairs in a folder, by NAME; opens none of them. `shown` names the folder in the problem. */
export function findCertificates(folder: string, shown: string): ReadonlyMap<string, CertificateFiles> | InputProblem {
  try {
    const names = new Set(readdirSync(folder))
    const pairs = [...names].flatMap((file): [string, CertificateFiles][] => {
      const name = /^(.+)\.crt$/.exec(file)?.[1]
      if (name === undefined || !names.has(`${name}.key`)) return []
      return [[name, { certificate: join(folder, file), key: join(folder, `${name}.key`) }]]
    })
    return new Map(pairs)
  } catch (error) {
    return { file: shown, reason: describeSystemError(error) }
  }
}
