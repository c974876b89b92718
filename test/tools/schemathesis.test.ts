/** The management API does what its OpenAPI document says, whatever is sent to it: schemathesis with all of its checks. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { SCHEMATHESIS_PATH } from '../../scripts/schemathesis.ts'
import { createFolder } from '../files/folder.ts'
import { ALL_CASES } from '../runs.ts'
import { AUTHORIZATION, fetchAsAdmin, startApiManagement } from '../servers/api-management/program.ts'

/** Requests for each operation and phase. */
const CASES = process.env.SLUICE_CASES ?? (ALL_CASES ? '40' : '10')

it('schemathesis finds no fault, and no response that the document does not describe', async () => {
  // A patch of what was changed meanwhile is refused before it is read.
  const rejected = '[400, 401, 403, 404, 405, 406, 409, 412, 415, 422, 428, 429]'
  const negative = `[checks.negative_data_rejection]\nexpected-statuses = ${rejected}\n`
  const cwd = createFolder({ 'schemathesis.toml': negative })
  const { url, lines } = await startApiManagement(['--plain-http'], cwd)
  const headers = { 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetchAsAdmin(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  // What the examples of the document name.
  await post('/services/workspaces', { name: 'coffee' })
  await post('/services/workspaces/coffee/proxies', { name: 'coffee', proxyConfig: { hostname: 'shop.example.com' } })
  const flags = ['--checks', 'all', '--exclude-checks', 'positive_data_acceptance', '--exclude-path', '/events']
  const more = ['--max-examples', CASES, '--continue-on-failure', '--no-color', '--seed', '1']
  // How long this machine takes for a request, or to make up the next one, is no fault.
  const patience = ['--request-timeout', '300', '--max-response-time', '300', '--suppress-health-check', 'too_slow']
  const identity = ['--header', `Authorization: ${AUTHORIZATION.authorization}`]
  const { stdout } = await promisify(execFile)(
    'python3',
    ['-m', 'schemathesis.cli', 'run', `${url}/openapi.json`, ...flags, ...more, ...patience, ...identity],
    {
      cwd,
      maxBuffer: 1 << 28,
      env: {
        ...process.env,
        PYTHONPATH: SCHEMATHESIS_PATH,
        SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'schemathesis_hooks.py'),
      },
    },
  ).catch((error: { readonly stdout?: string; readonly message: string }) => ({
    stdout: `${error.stdout}\n${error.message}`,
  }))
  expect(stdout).toMatch(/(\d+) generated, \1 passed/)
  const statuses = lines().flatMap(({ status }) => (typeof status === 'number' ? [status] : []))
  expect(statuses.length).toBeGreaterThan(1000)
  expect(statuses.filter((status) => status >= 500)).toEqual([])
  console.log(stdout.slice(stdout.indexOf('= SUMMARY')))
})
