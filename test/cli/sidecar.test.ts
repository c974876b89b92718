/**
 * `sluice render --sidecar`: a configuration of the mesh in, a whole nginx.conf out. `test/fixtures/sidecar.txtar` has
 * configurations, and what is printed of them; `npm run fixtures` writes it anew.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { printArchive, readArchive } from '../support/txtar.ts'
import { sluice } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-sidecar-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CONFIG = '{"clientMaxBodySize": "7m", "proxy": {"transparent": false}}'
const mapped = (member: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mesh-config}\n${member}:\n  mesh-config.json: '${value}'\n`

const FILES = {
  'config.json': CONFIG,
  'config.yaml': 'clientMaxBodySize: 7m\n',
  'data.yaml': mapped('data', CONFIG),
  'binary.yaml': mapped('binaryData', btoa(CONFIG)),
  'undecodable.yaml': mapped('binaryData', '%'),
  'broken.yaml': mapped('data', '{'),
  'wrong.json': '{"clientMaxBodySizes": "7m"}',
  'pod.yaml': 'apiVersion: v1\nkind: Pod\n',
  'transparent.json': '{"proxy": {"transparent": true}}',
}
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)

const run = (line: string, stdin = '') =>
  sluice(['render', '--sidecar', ...line.split(' ').filter(Boolean)], { cwd: folder, stdin })

describe('prints the whole of', () => {
  const path = new URL('../fixtures/sidecar.txtar', import.meta.url)
  const read = () => readArchive(readFileSync(path, 'utf8'))
  const { files } = read()
  it.each([...files.keys()].filter((name) => name.startsWith('$ ')))('%s', async (command) => {
    const [line = '', stdin = ''] = command.slice('$ render --sidecar '.length).split(' < ')
    const { stdout, stderr } = await run(line, files.get(stdin))
    const { comment, files: now } = read()
    if (process.env.SLUICE_RECORD !== '1') return expect(stdout + stderr).toBe(now.get(command))
    writeFileSync(path, printArchive({ comment, files: new Map(now).set(command, stdout + stderr) }))
  })
})

describe('prints', () => {
  it('the sidecar of a new mesh where no configuration is named', async () => {
    const { code, stdout, stderr } = await run('')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('# A plain sidecar, from the configuration of the mesh.\n')
    expect(stdout).toContain('    client_max_body_size 1m;\n')
    expect(stdout).toContain('        listen 8888 default_server;\n')
    expect(stdout).toContain('"least_time" is part of NGINX Plus')
  })

  it.each(['config.json', 'config.yaml', 'data.yaml', 'binary.yaml'])('what %s says', async (file) => {
    expect((await run(`-f ${file}`)).stdout).toContain('client_max_body_size 7m;')
  })

  it('what the standard input says', async () => {
    expect((await run('-f -', FILES['transparent.json'])).stdout).toContain('# A transparent sidecar')
  })

  it('what the flags say of the Pod and of the Services that it calls', async () => {
    const flags = '--container-port 8080 --container-port 9000 --listen ::1 --resolver fd00::a --nginx-version 1.22.1'
    const { stdout } = await run(`${flags} --upstream shop/web:80=10.0.0.1:8080 --upstream shop/web:80=10.0.0.2:8080`)
    const parts = ['listen [::1]:8891 default_server http2;', 'resolver [fd00::a];', '"~:9000$" 127.0.0.1:9000;']
    for (const part of parts) expect(stdout).toContain(part)
    expect(stdout).toContain('        server 10.0.0.1:8080;\n        server 10.0.0.2:8080;\n')
  })
})

describe('refuses, with exit code 2,', () => {
  it.each([
    ['-f wrong.json', '-f wrong.json: clientMaxBodySizes: unknown field; did you mean "clientMaxBodySize"?'],
    ['-f broken.yaml', '-f broken.yaml: mesh-config.json: '],
    ['-f undecodable.yaml', 'the ConfigMap has no readable key mesh-config.json'],
    ['-f pod.yaml', '-f pod.yaml: apiVersion: unknown field'],
    ['-f absent.json', 'absent.json: '],
    ['config.json', 'name the configuration of the mesh with -f: -f config.json'],
    ['--complete', '--complete means nothing with --sidecar'],
    ['--container-port 0', '--container-port must be a port from 1 to 65535; got "0"'],
    ['--resolver dns.example', '--resolver must be an address such as 10.96.0.10; got "dns.example"'],
    ['--upstream web', '--upstream must be'],
  ])('%s', async (line, message) => {
    const { code, stdout, stderr } = await run(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('flags of a sidecar without --sidecar', async () => {
    expect(await sluice(['render', '--resolver', '::1'], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: 'sluice: --resolver needs --sidecar\n',
    })
  })
})
