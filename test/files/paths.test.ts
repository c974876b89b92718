/** What is read in paths that no transcript shows: bytes, rights and sizes. The others: `test/fixtures/cli/paths.txtar`. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileOf, textOf } from '../../src/project/source.ts'
import { casesOf } from '../support/cases.ts'
import { collect } from './collect.ts'
import { createFolder, policy } from './folder.ts'

const { cases } = casesOf(import.meta.url)

const NOBODY = 65534

/** Root can read everything, so the process runs as the user nobody for a while. */
async function withoutPrivileges<Value>(action: () => Promise<Value>): Promise<Value> {
  if (process.geteuid?.() !== 0) return await action()
  process.seteuid?.(NOBODY)
  try {
    return await action()
  } finally {
    process.seteuid?.(0)
  }
}

describe('what cannot be read', () => {
  it.runIf(process.platform === 'linux')('is said of names that are not UTF-8, and how to find them', async () => {
    const folder = createFolder({ 'a.yaml': policy(), 'real\uFFFD.yaml': policy() })
    const inFolder = (name: string) => Buffer.from(`${folder}/${name}`, 'latin1')
    writeFileSync(inFolder('bad $(x)\xff\xfe.yaml'), policy())
    mkdirSync(inFolder('k8s\xff'))
    writeFileSync(inFolder('k8s\xff/b.yaml'), policy())
    symlinkSync('a.yaml', inFolder('link\xff.yaml'))
    symlinkSync('gone', join(folder, 'nowhere\uFFFD.yaml'))
    const reason = (glob: string) =>
      `the name is not UTF-8; rename it: \`ls -bd ./${glob}\` in its folder shows its bytes`
    const bad = { file: 'bad $(x)\uFFFD\uFFFD.yaml', reason: reason('bad???x?*.yaml') }
    const [k8s, link] = [reason('k8s*'), reason('link*.yaml')]
    const found = await collect(folder)
    expect(found.problems).toEqual([{ file: 'k8s\uFFFD', reason: k8s }, bad])
    expect(found.notJudged).toEqual([
      { file: 'link\uFFFD.yaml', reason: link, code: 'unreadable' },
      { file: 'nowhere\uFFFD.yaml', reason: 'a symbolic link that leads nowhere', code: 'unreadable' },
    ])
    expect(found.sources.map(fileOf)).toEqual(['a.yaml', 'real\uFFFD.yaml'])
    const named = ['k8s\uFFFD/b.yaml', 'link\uFFFD.yaml', 'gone\uFFFD.yaml', 'nowhere\uFFFD.yaml', bad.file]
    expect((await collect(folder, named)).problems.map((one) => one.reason)).toEqual([
      k8s,
      link,
      'no such file or folder',
      'a symbolic link that leads nowhere',
      bad.reason,
    ])
    const shown = execFileSync('sh', ['-c', 'ls -bd ./bad???x?*.yaml ./k8s* ./link*.yaml'], { cwd: folder })
    expect(shown.toString('latin1').match(/[\\]377/g)).toHaveLength(3)
  })

  it('reports a folder and a file without permission', async () => {
    const folder = createFolder({ 'a.yaml': policy(), 'shut/b.yaml': policy(), 'shut.yaml': policy() })
    chmodSync(folder, 0o755)
    chmodSync(join(folder, 'shut'), 0)
    chmodSync(join(folder, 'shut.yaml'), 0)
    const { problems, sources } = await withoutPrivileges(() => collect(folder))
    chmodSync(join(folder, 'shut'), 0o700)
    expect(problems).toEqual(cases('reports a folder and a file without permission'))
    expect(sources).toHaveLength(1)
  })

  it('reports bytes that are not text where they name a judged kind, and only there', async () => {
    const latin1 = (text: string) => Buffer.from(text, 'latin1')
    const folder = createFolder({ 'a.yaml': latin1(`# é\n${policy()}`), 'b.yaml': latin1('# é\nkind: ConfigMap') })
    const { sources, problems } = await collect(folder)
    expect(problems).toEqual([])
    expect(sources).toMatchObject([
      { file: 'a.yaml', problem: { code: 'unreadable', reason: 'not encoded in UTF-8', start: 2, end: 3 } },
    ])
  })

  it('reads UTF-16 with a byte order mark', async () => {
    const folder = createFolder({ 'a.yaml': Buffer.from(`\ufeff${policy()}`, 'utf16le') })
    expect((await collect(folder)).sources.map(textOf)).toEqual([expect.stringContaining('kind: RateLimitPolicy')])
  })
})

it('files of any length below the limit are read whole, whatever their length', async () => {
  const text = policy()
  const sizes = [511, 512, 513, 4096, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1_000_000]
  const padded = sizes.map((size) => `${text}#${' '.repeat(size - text.length - 2)}\n`)
  const folder = createFolder(Object.fromEntries(padded.map((content, index) => [`${index}.yaml`, content])))
  const { sources } = await collect(folder)
  expect(sources.map((source) => textOf(source).length)).toEqual(sizes)
})

describe('the standard input', () => {
  const input = (text: string) => [Buffer.from(text.slice(0, 10)), Buffer.from(text.slice(10))]

  it('is a file called <stdin>', async () => {
    const { sources, files } = await collect(createFolder(), ['-'], { stdin: input(policy()) })
    expect(sources).toEqual([
      { file: '<stdin>', text: policy(), namespace: { sharedBy: '<stdin>' }, together: ['<stdin>'] },
    ])
    expect(files).toBe(1)
  })

  it('stands beside other paths, and gets the namespace that the command line gives', async () => {
    const folder = createFolder({ 'a.yaml': policy() })
    const { sources } = await collect(folder, ['-', 'a.yaml'], { stdin: input(policy()), namespace: 'shop' })
    expect(sources.map(({ file, namespace }) => [file, namespace])).toEqual(
      cases('stands beside other paths, and gets the namespace that the command line gives'),
    )
  })

  it('is looked into and passed over where it names no judged kind', async () =>
    expect(await collect(createFolder(), ['-'], { stdin: input('kind: [ConfigMap, {') })).toMatchObject(
      cases<object>('is looked into and passed over where it names no judged kind'),
    ))

  it('is reported where it is not text or too large', async () => {
    const latin1 = Buffer.from(`# é\n${policy()}`, 'latin1')
    expect((await collect(createFolder(), ['-'], { stdin: [latin1] })).sources).toMatchObject([
      { file: '<stdin>', problem: { code: 'unreadable', reason: 'not encoded in UTF-8' } },
    ])
    const chunks = Array.from({ length: 65 }, () => Buffer.alloc(1024 * 1024))
    expect((await collect(createFolder(), ['-'], { stdin: chunks })).problems).toEqual([
      { file: '<stdin>', reason: 'more than 64 MiB; split it' },
    ])
  })
})
