/** `sluice inject`: files in, one stream of manifests out. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { injectNew, printInjected } from '../mesh/inject-fixtures.ts'
import { sluice } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-inject-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pod = (name: string, more = ''): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  containers:\n  - name: ${name} # main\n    image: a:1\n${more}`
const JSON_POD = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'json' },
  spec: { containers: [{ name: 'a', image: 'b' }] },
})

const FILES = {
  'one.yaml': pod('one'),
  'two.yaml': pod('two'),
  'pod.json': JSON_POD,
  'sctp.yaml': pod('one', '    ports:\n    - {containerPort: 80, protocol: SCTP}\n'),
  'broken.yaml': 'a: [1\n---\nb: }\n',
  'system.yaml': pod('one').replace('{name: one}', '{name: one, namespace: kube-system}'),
  'mesh.json': '{"mtls": {"mode": "strict"}, "trustDomain": "shop.example"}',
  'wrong.json': '{"mtls": {"mod": "strict"}}',
  'acme.yaml': 'apiGroups: {vendor: acme}\n',
  'utf16.yaml': Buffer.from(`\ufeff${pod('wide')}`, 'utf16le'),
  'latin1.yaml': Buffer.from('a: \xe9\n', 'latin1'),
}
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)

const run = (line: string, stdin = '') => sluice(['inject', ...line.split(' ').filter(Boolean)], { cwd: folder, stdin })
const injected = (text: string, options = {}) => printInjected(injectNew(text, options))

describe('prints', () => {
  it.each<[string, string, string]>([
    ['-f one.yaml', '', injected(FILES['one.yaml'])],
    ['-f pod.json', '', injected(JSON_POD)],
    ['-f -', pod('in'), injected(pod('in'))],
    ['--filename=one.yaml -f -', pod('in'), `${injected(FILES['one.yaml'])}---\n${injected(pod('in'))}`],
    ['-f two.yaml -f pod.json', '', `${injected(FILES['two.yaml'])}---\n${injected(JSON_POD)}`],
    [
      '-f one.yaml --ignore-incoming-ports 80,81 --ignore-incoming-ports 82',
      '',
      injected(FILES['one.yaml'], { ignoreIncomingPorts: [80, 81, 82] }),
    ],
    ['-f one.yaml --ignore-outgoing-ports 80', '', injected(FILES['one.yaml'], { ignoreOutgoingPorts: [80] })],
    [
      '-f one.yaml --mesh-config mesh.json',
      '',
      injected(FILES['one.yaml'], { config: { mtls: { mode: 'strict' }, trustDomain: 'shop.example' } }),
    ],
    ['-f utf16.yaml', '', injected(pod('wide'))],
  ])('%s', async (line, stdin, stdout) => {
    expect(await run(line, stdin)).toEqual({ code: 0, stdout, stderr: '' })
  })

  it('with the groups of the settings', async () => {
    const { stdout } = await run('-f one.yaml --config acme.yaml')
    expect(stdout).toContain('injector.nsm.acme.com/status: injected')
  })
})

describe('notes', () => {
  it.each<[string, string, string]>([
    ['-f -', 'apiVersion: v1\nkind: Service\n', '<stdin>: nothing to inject'],
    ['-f -', '', '<stdin>: nothing to inject'],
    ['-f -', injected(pod('done')), '<stdin>: document 1: Pod/done has the sidecar already'],
    ['-f system.yaml', '', 'system.yaml: document 1: Pod/one is left as it is: kube-system is never injected'],
  ])('%s', async (line, stdin, note) => {
    const { code, stderr } = await run(line, stdin)
    expect(code).toBe(0)
    expect(stderr).toContain(`note: ${note}\n`)
  })
})

describe('refused with one line for each mistake and code 2, without any output', () => {
  it.each<[string, readonly string[]]>([
    ['', ['what to inject? write "sluice inject -f FILE"']],
    ['one.yaml', ['name files with -f: sluice inject -f one.yaml']],
    ['-f', ['-f needs a value: -f FILE']],
    ['-f - -f -', ['-f - can be given once']],
    ['-f nothing.yaml', ['nothing.yaml: no such file or folder']],
    ['-f .', ['.: expected a file, found a folder']],
    ['-f latin1.yaml', ['latin1.yaml: not encoded in UTF-8']],
    ['-f one.yaml --ignore-incoming-ports 65536', ['--ignore-incoming-ports: "65536" is not a port from 1 to 65535']],
    [
      '-f one.yaml --ignore-outgoing-ports 80-90',
      ['--ignore-outgoing-ports: "80-90" is not a port from 1 to 65535; write each port of the range'],
    ],
    [
      '-f one.yaml --ignore-incomming-ports 80',
      ['unknown flag --ignore-incomming-ports; did you mean --ignore-incoming-ports?'],
    ],
    ['-f pod.json -f one.yaml', ['JSON cannot be followed by YAML in one stream; name the files with JSON last']],
    [
      '-f one.yaml --mesh-config wrong.json',
      ['--mesh-config wrong.json: mtls.mod: unknown field; did you mean "mtls.mode"?'],
    ],
    ['-f one.yaml --mesh-config broken.yaml', ['--mesh-config broken.yaml: a bracket is never closed (line 1)']],
    [
      '-f one.yaml -f sctp.yaml -f broken.yaml',
      [
        'sctp.yaml:9:37: document 1, spec.containers[0].ports[0].protocol: the mesh does not support SCTP; use TCP or UDP',
        'broken.yaml:1:4: document 1: a bracket is never closed',
        'broken.yaml:3:4: document 2: unexpected "}"',
      ],
    ],
  ])('%s', async (line, lines) => {
    const { code, stdout, stderr } = await run(line)
    expect(stderr.trimEnd().split('\n')).toEqual(lines.map((one) => `sluice: ${one}`))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })
})
