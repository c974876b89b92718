/** Rendered configurations on real nginx programs: tested, and run on loopback ports with backends behind them. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { NEWEST_RELEASE } from '../../src/fabric/releases.ts'
import type { GatewayView, RouteView } from '../../src/gateway/objects/gateways-and-routes.ts'
import type { PolicyView } from '../../src/gateway/objects/policy.ts'
import { type Rendered, type RenderOptions, renderGateway } from '../../src/gateway/render/render.ts'
import { gateway as makeGateway, world } from '../gateway/objects.ts'
import { type NginxProgram, stop, testConfigurations, untilListening, type Verdict } from './real-nginx.ts'

/** Objects of which Gateway `shop/shop` is rendered. */
export type Scene = {
  readonly gateway?: GatewayView
  readonly routes: readonly RouteView[]
  readonly policies: readonly PolicyView[]
}

/** How scenes are rendered: a whole configuration in one file. */
const RENDER_OPTIONS: RenderOptions = {
  composition: 'stack',
  conflict: 'same-field',
  zoneNaming: 'indexed',
  fabricVersion: NEWEST_RELEASE,
  nginxVersion: '1.31',
  plus: false,
  defined: new Set(),
  complete: true,
  files: false,
  address: '127.0.0.1',
  ports: new Map(),
  portOffset: 0,
  addresses: new Map(),
  certificates: undefined,
  socketDir: '/var/run',
}

/** The configuration of a scene. */
export function renderScene(
  { gateway = makeGateway('shop'), routes, policies }: Scene,
  options: Partial<RenderOptions> = {},
): Rendered {
  const around = world({ gateways: [gateway], routes, policies })
  const { namespace = '', name = '' } = gateway.identity
  return renderGateway({ namespace, name, view: gateway }, around, { ...RENDER_OPTIONS, ...options })
}

/** Writes the files of a rendering into a folder, which becomes a prefix of nginx. */
function writeRendered({ files }: Pick<Rendered, 'files'>, folder: string): void {
  for (const { name, text } of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** The result of `nginx -t` for a rendering. */
export const checkRendered = (program: NginxProgram, rendered: Pick<Rendered, 'files'>): Verdict =>
  checkAllRendered(program, [rendered])[0] ?? { accepted: false, output: 'nothing was rendered' }

/** The results for many renderings, in their order. */
export function checkAllRendered(program: NginxProgram, all: readonly Pick<Rendered, 'files'>[]): readonly Verdict[] {
  const root = mkdtempSync(join(tmpdir(), 'sluice-render-'))
  try {
    const folders = all.map((rendered, index) => {
      writeRendered(rendered, join(root, String(index)))
      return join(root, String(index))
    })
    return testConfigurations(
      program,
      folders.map((prefix) => ({ prefix, file: join(prefix, 'nginx.conf') })),
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** A running nginx; its logs are files of its own. */
export type RunningGateway = {
  /** The error log so far. */
  log(): string
  /** Lines of the access log so far. */
  requests(): readonly string[]
  stop(): Promise<void>
}

/** Starts nginx with a rendering and waits until it listens on a port. Sockets of hops may lie in the folder. */
export async function runRendered(
  { path }: NginxProgram,
  rendered: Pick<Rendered, 'files'>,
  { folder, port }: { readonly folder: string; readonly port: number },
): Promise<RunningGateway> {
  writeRendered(rendered, folder)
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr', '-g', 'daemon off; master_process off;']
  const child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let early = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    early += text
  })
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  await untilListening(child, port, () => early)
  return {
    log: () => early + read('error.log'),
    requests: () => read('access.log').split('\n').filter(Boolean),
    async stop() {
      await stop(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
