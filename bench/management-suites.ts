/** The management API beside an Express server that neither judges nor stores, and with many stored proxies. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './measure.ts'
import { describeLoads, hasWrk, load, PROGRAM, type Server, sideBySide, startNode, stopAll } from './server.ts'
import { type Measured, notMeasured, type Suite } from './suite.ts'

const EXPRESS = fileURLToPath(new URL('./express-server.ts', import.meta.url))
const PROXIES = '/services/workspaces/bench/proxies'
const PASSWORD = 'correct horse battery'
const HEADERS = {
  authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`,
  'content-type': 'application/json',
}
const MANY = 10_000
const FEW = 100
/** Requests for a page in one run. */
const PAGES = 50

export const MANAGEMENT_SUITES: readonly Suite[] = [
  {
    name: 'management-post',
    what: 'proxies per second that an Express server answers, neither judged nor stored : that are judged and on the disk',
    bar: '3',
    measure: (folder, runs) => (hasWrk() ? posted(folder, runs, 3) : notMeasured('wrk is not installed')),
  },
  {
    name: 'management-many',
    what: `a page of ${MANY} stored proxies : a page of ${FEW}`,
    bar: '1.5',
    measure: withMany,
  },
]

/** A body as one would write it, with another name and base path for each. */
const bodyOf = (name: string) => ({
  name,
  proxyConfig: {
    hostname: 'api.shop.example',
    ingress: { basePath: `/${name}` },
    backends: [{ serviceName: 'shop', serviceTargets: [{ hostname: '127.0.0.1', listener: { port: 3000 } }] }],
    policies: {
      'rate-limit': [
        {
          systemMetadata: { appliedOn: 'inbound', context: 'proxy' },
          action: {
            returnCode: 429,
            limits: [
              { rate: '10r/s', rateLimitBy: 'client.ip', zoneSize: '10M', throttle: { burst: 20, noDelay: true } },
              { rate: '50r/s', rateLimitBy: 'uri', zoneSize: '10M' },
            ],
          },
        },
      ],
    },
  },
})

/** Starts the management API on a state file, without an nginx. */
async function startManagement(folder: string): Promise<Server> {
  mkdirSync(folder, { recursive: true })
  const password = join(folder, 'password')
  writeFileSync(password, PASSWORD, { mode: 0o600 })
  const flags = ['--plain-http', '--port', '0', '--health-port', '0', '--admin-password-file', password]
  const parameters = [PROGRAM, 'serve', 'api-management', ...flags, '--state', join(folder, 'state.db')]
  return await startNode(join(folder, 'log'), parameters)
}

async function send({ port }: Server, method: string, path: string, body?: object): Promise<unknown> {
  const init = { method, headers: HEADERS, ...(body ? { body: JSON.stringify(body) } : {}) }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return await response.json()
}

const makeWorkspace = (server: Server) => send(server, 'POST', '/services/workspaces', { name: 'bench' })

/** Writes the script by which `wrk` sends proxies, each with a name that was never sent before. */
function writeScript(folder: string): string {
  const file = join(folder, 'post.lua')
  const headers = Object.entries(HEADERS).map(([name, value]) => `wrk.headers["${name}"] = ${JSON.stringify(value)}`)
  writeFileSync(
    file,
    `wrk.method = "POST"
${headers.join('\n')}
local body = ${JSON.stringify(JSON.stringify(bodyOf('NAME')))}
local run = os.time() .. "-" .. string.sub(tostring({}), 8)
local count = 0
request = function()
  count = count + 1
  local text = string.gsub(body, "NAME", "p-" .. run .. "-" .. count)
  return wrk.format(nil, nil, nil, text)
end
`,
  )
  return file
}

async function posted(folder: string, runs: number, bar: number): Promise<Measured> {
  const options = { script: writeScript(folder), path: PROXIES, scheme: 'http' } as const
  const servers: Server[] = []
  try {
    const management = await startManagement(join(folder, 'management'))
    servers.push(management)
    await makeWorkspace(management)
    const express = await startNode(join(folder, 'express.log'), [EXPRESS])
    servers.push(express)
    const both = sideBySide(
      () => load(express, options),
      () => load(management, options),
      runs,
    )
    const ratio = both.a.rate / both.b.rate
    return { figure: ratio.toFixed(2), kept: ratio <= bar, details: describeLoads(both.a, both.b) }
  } finally {
    await stopAll(servers)
  }
}

async function withMany(folder: string, runs: number): Promise<Measured> {
  const folders = { many: join(folder, 'many'), few: join(folder, 'few'), none: join(folder, 'none') }
  await fill(folders.many, MANY)
  await fill(folders.few, FEW)
  const times: Record<'many' | 'few' | 'none', { start: number[]; page: number[] }> = {
    many: { start: [], page: [] },
    few: { start: [], page: [] },
    none: { start: [], page: [] },
  }
  for (let run = 0; run < runs; run++)
    for (const which of ['many', 'few', 'none'] as const) {
      const begun = performance.now()
      const server = await startManagement(folders[which])
      times[which].start.push(performance.now() - begun)
      if (which !== 'none') times[which].page.push(await pageTime(server))
      await stopAll([server])
    }
  const page = median(times.many.page) / median(times.few.page)
  const start = median(times.many.start) / median(times.none.start)
  return {
    figure: page.toFixed(2),
    kept: page <= 1.5,
    details: `${median(times.many.page).toFixed(2)} ms : ${median(times.few.page).toFixed(2)} ms for ${FEW} proxies`,
    beside: [
      {
        what: `start with ${MANY} stored proxies, without an nginx : start with none`,
        bar: '2',
        figure: start.toFixed(2),
        kept: start <= 2,
        details: `${median(times.many.start).toFixed(0)} ms : ${median(times.none.start).toFixed(0)} ms`,
      },
    ],
  }
}

/** Stores proxies, through the API. */
async function fill(folder: string, count: number): Promise<void> {
  const server = await startManagement(folder)
  try {
    await makeWorkspace(server)
    const names = Array.from({ length: count }, (_, index) => `proxy-${index}`)
    const lane = async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop())
        await send(server, 'POST', PROXIES, bodyOf(name))
    }
    await Promise.all(Array.from({ length: 16 }, lane))
  } finally {
    await stopAll([server])
  }
}

/** Milliseconds of a page in the middle of the list. */
async function pageTime(server: Server): Promise<number> {
  const path = `${PROXIES}?pageSize=${FEW}`
  await send(server, 'GET', path)
  const begun = performance.now()
  for (let count = 0; count < PAGES; count++) await send(server, 'GET', path)
  return (performance.now() - begun) / PAGES
}
