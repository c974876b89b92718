/**
 * Records `sluice try` on a copy of examples/shop with a real nginx, and draws docs/try.svg: requests, a key change that
 * nginx refuses, and a conflict. Not a part of `npm run docs`: numbers of requests differ a little from run to run.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { main } from '../src/cli/core/main.ts'
import { terminalPicture } from './docs/terminal-picture.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const COLUMNS = 110
const COMMAND = 'npx sluice try examples/shop'

const folder = mkdtempSync(join(tmpdir(), 'sluice-record-'))
cpSync(join(ROOT, 'examples/shop'), join(folder, 'examples/shop'), { recursive: true })

let shown = `\x1b[32m$\x1b[39m \x1b[1m${COMMAND}\x1b[22m\n`
const output = {
  write: (text: string) => {
    shown += text
  },
  isTTY: true,
  isFile: false,
  columns: COLUMNS,
}
const ended = main({
  argv: ['try', 'examples/shop'],
  env: {},
  cwd: folder,
  stdin: [],
  stdout: output,
  stderr: output,
  now: () => 0,
  today: () => '2026-11-25',
  nodeVersion: process.versions.node,
})

/** Waits until something was written, from where the last wait ended. */
let read = 0
async function until(text: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const at = shown.indexOf(text, read)
    if (at >= 0) {
      read = at + text.length
      return
    }
    await pause(50)
  }
  throw new Error(`"${text}" was not written:\n${shown}`)
}

/** What a person does in another terminal. */
const act = (what: string): void => {
  shown += `\n\x1b[2m# ${what}\x1b[22m\n`
}

function edit(file: string, change: (text: string) => string): void {
  const path = join(folder, 'examples/shop', file)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

function get(path: string, agent: Agent): Promise<void> {
  const options = { host: '127.0.0.1', port: PORT, path, agent, headers: { host: 'menu.beans.example' } }
  return new Promise((resolve, reject) => {
    request({ ...options, rejectUnauthorized: false }, (response) => response.resume().once('end', resolve))
      .once('error', reject)
      .end()
  })
}

await until('Ctrl-C ends')
const PORT = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(shown)?.[1])
act('thirteen requests at once to /tea, which has a burst of ten')
const agent = new Agent({ keepAlive: true })
await Promise.all(Array.from({ length: 13 }, () => get('/tea', agent)))
agent.destroy()
await until('2 rejected')
act('the limit of the coffee gets another key')
edit('limits/menu.yaml', (text) => text.replace('$binary_remote_addr', '$http_x_api_key'))
await until('is in force')
act('a second policy sets rejectCode on the Gateway')
edit('limits/storefront.yaml', (text) => `${text}---\n${text.replace('name: storefront', 'name: holidays')}`)
await until('is in force')
process.kill(process.pid, 'SIGINT')
const code = await ended
rmSync(folder, { recursive: true, force: true })
if (code !== 0) throw new Error(`it ended with ${code}`)
writeFileSync(join(ROOT, 'docs/try.svg'), terminalPicture(shown, `What ${COMMAND} prints while its files change`))
console.log('docs/try.svg')
