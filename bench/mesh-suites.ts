/** The API of the mesh beside a bare server, and injection beside reading and writing the same manifests. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dump, loadAll } from 'js-yaml'
import { inject } from '../src/library/mesh.ts'
import { median } from './measure.ts'
import { describeLoads, hasWrk, load, PROGRAM, type Server, sideBySide, startNode, stopAll } from './server.ts'
import { type Measured, notMeasured, type Suite } from './suite.ts'

const TEXT_SERVER = fileURLToPath(new URL('./text-server.ts', import.meta.url))
const CONFIG = '/apis/nsm.nginx.com/v1alpha1/config'
const TOKEN = 'a-token-for-measuring'
const DOCUMENTS = 1000

export const MESH_SUITES: readonly Suite[] = [
  {
    name: 'mesh-config',
    what: 'requests per second of a bare HTTPS server that sends a text : of GET config, with a token',
    bar: '1.67',
    measure: (folder, runs) => (hasWrk() ? againstText(folder, runs, 1 / 0.6) : notMeasured('wrk is not installed')),
  },
  {
    name: 'mesh-inject',
    what: `injection into a text of ${DOCUMENTS} Deployments : reading and writing it with js-yaml`,
    bar: '3',
    measure: (_, runs) => againstPrinting(runs, 3),
  },
]

async function againstText(folder: string, runs: number, bar: number): Promise<Measured> {
  const script = join(folder, 'get.lua')
  writeFileSync(script, `wrk.headers["authorization"] = "Bearer ${TOKEN}"\n`)
  const token = join(folder, 'token')
  writeFileSync(token, TOKEN, { mode: 0o600 })
  const state = ['--state', join(folder, 'mesh-config.json'), '--token-file', token]
  const flags = ['--standalone', '--host', '127.0.0.1', '--port', '0', '--health-port', '0', ...state]
  const options = { script, path: CONFIG }
  const servers: Server[] = []
  try {
    const mesh = await startNode(join(folder, 'mesh.log'), [PROGRAM, 'serve', 'mesh', ...flags])
    servers.push(mesh)
    const bare = await startNode(join(folder, 'bare.log'), [TEXT_SERVER])
    servers.push(bare)
    const both = sideBySide(
      () => load(bare, options),
      () => load(mesh, options),
      runs,
    )
    const ratio = both.a.rate / both.b.rate
    return { figure: ratio.toFixed(2), kept: ratio <= bar, details: describeLoads(both.a, both.b) }
  } finally {
    await stopAll(servers)
  }
}

/** A Deployment as one would write it. */
const deployment = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name} # one of many
  namespace: shop
spec:
  replicas: 2
  selector:
    matchLabels:
      app: ${name}
  template:
    metadata:
      labels:
        app: ${name}
    spec:
      containers:
      - name: web
        image: example.org/${name}:1
        ports:
        - containerPort: 8080
        env:
        - name: MODE
          value: "on"
        livenessProbe:
          httpGet:
            path: /health
            port: 8080
`

/** In one process, in turns, after turns to warm up. */
function againstPrinting(runs: number, bar: number): Measured {
  const text = Array.from({ length: DOCUMENTS }, (_, index) => deployment(`web-${index}`)).join('---\n')
  const times = { injecting: [] as number[], printing: [] as number[] }
  for (let run = -2; run < runs; run++) {
    const injecting = timeOf(() => {
      if (!inject(text).ok) throw new Error('the manifests are not injected')
    })
    const printing = timeOf(() => loadAll(text).map((document) => dump(document)))
    if (run < 0) continue
    times.injecting.push(injecting)
    times.printing.push(printing)
  }
  const [injecting, printing] = [median(times.injecting), median(times.printing)]
  const ratio = injecting / printing
  return {
    figure: ratio.toFixed(2),
    kept: ratio <= bar,
    details: `${injecting.toFixed(0)} ms : ${printing.toFixed(0)} ms`,
  }
}

function timeOf(run: () => void): number {
  const begun = performance.now()
  run()
  return performance.now() - begun
}
