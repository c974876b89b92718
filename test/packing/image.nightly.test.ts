/** The image, made by the steps of the Dockerfile in an empty folder, and started as a container would start it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasControlPlane } from '../../scripts/kube-apiserver.ts'
import { billOfMaterials } from '../../scripts/sbom/sbom.ts'
import { NAMES } from '../../src/installation/object.ts'
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts'
import { createKubectl, type Kubectl, must } from '../cluster/kubectl.ts'
import { applyCrds, limit, policy, until } from '../cluster/resources.ts'
import { ADMIN } from '../cluster/users.ts'
import { freePorts } from '../free-ports.ts'
import { expected } from '../installation/expected.ts'
import { buildImage, type Image, instructionsOf } from './dockerfile.ts'
import { mountAccount, parametersOf, reachable } from './in-cluster.ts'
import { readManifest } from './manifest.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')

/** Only root may shut a process into a folder; others start it from the outside, with the libraries of the machine. */
const canShutIn = process.getuid?.() === 0 && process.platform === 'linux'

let folder: string
let image: Image

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-image-'))
  image = buildImage(DOCKERFILE, { context: ROOT, folder })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function start(parameters: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const line = [...image.entrypoint, ...parameters]
  const outside = line.map((word) => (word.startsWith('/') ? join(image.folder, word) : word))
  const [program = '', ...rest] = canShutIn ? ['chroot', `--userspec=${image.user}`, image.folder, ...line] : outside
  return spawn(program, rest, {
    env: { ...image.env, ...env, PATH: '/usr/sbin:/usr/bin' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

describe('the image', () => {
  it('comes from images by digest alone', () => {
    const bases = instructionsOf(DOCKERFILE).filter(({ name }) => name === 'FROM')
    const byDigest = expect.stringMatching(/^node:\d+\.\d+\.\d+-[a-z-]+@sha256:[0-9a-f]{64} AS build$/)
    expect(bases.map(({ rest }) => rest)).toEqual([byDigest, 'scratch'])
  })

  it('holds the packages of its bill of materials, and no other', async () => {
    const { packages } = JSON.parse(readFileSync(join(image.folder, 'app/node_modules/.package-lock.json'), 'utf8'))
    const installed = Object.entries<{ readonly version: string }>(packages).map(
      ([path, { version }]) => `${path.replace(/^(?:.*\/)?node_modules\//, '')}@${version}`,
    )
    const { components } = JSON.parse(await billOfMaterials('image'))
    const named = components.flatMap((one: { readonly type: string; readonly 'bom-ref': string }) =>
      one.type === 'library' && !one['bom-ref'].endsWith('#bundled') ? [one['bom-ref']] : [],
    )
    expect([...new Set(installed)].sort()).toEqual(named.sort())
  })

  it('brings the Node with which the project is tested', () =>
    expect(DOCKERFILE).toContain(`node:${readManifest().devDependencies.node}-`))

  it('holds no shell, and packages of production only', () => {
    expect(['bin/sh', 'bin/bash', 'usr/bin/env'].filter((path) => existsSync(join(image.folder, path)))).toEqual([])
    const { dependencies, devDependencies } = readManifest()
    const installed = new Set(readdirSync(join(image.folder, 'app/node_modules')))
    expect(Object.keys(dependencies).filter((name) => !installed.has(name.split('/')[0] ?? ''))).toEqual([])
    expect(['typescript', 'vitest', 'esbuild', 'node'].filter((name) => installed.has(name))).toEqual([])
    expect(devDependencies).toHaveProperty('typescript')
  })

  it('runs as a user without rights', () => expect(image.user).toBe('65532:65532'))

  it('starts, is ready, and ends on SIGTERM', async () => {
    const child = start([...image.command, '--standalone', '--host', '127.0.0.1', '--port', '0', '--health-port', '0'])
    const said: string[] = []
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => said.push(chunk))
    const ended = once(child, 'exit')
    try {
      const first = await Promise.race([
        firstLine(child),
        ended.then(([code]) => `ended with ${code}: ${said.join('')}`),
      ])
      const { healthPort } = JSON.parse(first)
      expect((await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status).toBe(200)
    } finally {
      child.kill('SIGTERM')
    }
    expect((await ended)[0]).toBe(0)
  })

  it('answers other commands', async () => {
    const child = start(['manifests', '--overlay', 'fail-closed'])
    const chunks: string[] = []
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk))
    await once(child, 'close')
    expect(chunks.join('')).toContain('failurePolicy: Fail')
  })
})

describe.runIf(canShutIn && (hasControlPlane() || process.env.CI))('the image in a cluster', () => {
  let plane: ControlPlane
  let kubectl: Kubectl
  beforeAll(async () => {
    plane = await startControlPlane()
    kubectl = createKubectl(plane.kubeconfig(ADMIN))
    await applyCrds(kubectl)
  })
  afterAll(() => plane.stop())

  it('finds its account, makes its certificates, is trusted, judges, and says that settings are refused', async () => {
    const [port = 0] = await freePorts(1)
    const objects = reachable(expected(['fail-closed']), port)
    await must(kubectl('apply --server-side -f -', objects))
    const env = await mountAccount(image.folder, plane, kubectl)
    const flags = ['--host', '127.0.0.1', '--port', String(port), '--health-port', '0']
    const child = start([...parametersOf(objects), ...flags], env)
    const ended = once(child, 'exit')
    try {
      const { healthPort } = JSON.parse(await firstLine(child))
      const isReady = async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status === 200
      await until('the replica is ready', isReady)
      const apply = (rate: string) =>
        kubectl('apply -f -', [policy('one', ['Gateway/edge'], { local: { rules: [limit({ rate })] } })])
      await until('the API server trusts it', async () => (await apply('10r/s')).code === 0)
      expect((await apply('0r/s')).stderr).toContain(
        'spec.rateLimit.local.rules[0].rate: nginx refuses the rate "0r/s"',
      )
      writeFileSync(join(image.folder, 'etc/sluice', NAMES.configKey), 'admission: { enforce: perhaps }\n')
      const describe = () => must(kubectl(`describe configmap ${NAMES.config} -n ${NAMES.namespace}`))
      await until('an Event says that the settings are refused', async () =>
        /SettingsRejected .* admission\.enforce/.test(await describe()),
      )
      expect((await apply('0r/s')).code).toBe(1)
    } finally {
      child.kill('SIGTERM')
    }
    expect((await ended)[0]).toBe(0)
  })
})

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no standard output')
  for await (const line of createInterface({ input: child.stdout })) return line
  return new Promise(() => {})
}
