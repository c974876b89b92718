import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileOf, textOf } from '../../src/project/source.ts'
import { collect, judged } from './collect.ts'
import { createFolder, policy } from './folder.ts'

describe('paths', () => {
  it('means the current folder without any', async () => {
    const folder = createFolder({ 'a.yaml': policy(), 'k8s/b.yml': policy(), 'k8s/deep/c.json': '{"kind":"Gateway"}' })
    expect(await judged(folder)).toEqual(['a.yaml', 'k8s/b.yml', 'k8s/deep/c.json'])
  })

  it('shows files relative to the working directory, with forward slashes, also above it', async () => {
    const folder = createFolder({ 'a.yaml': policy(), 'k8s/b.yaml': policy() })
    expect(await judged(join(folder, 'k8s'), ['..'])).toEqual(['../a.yaml', 'b.yaml'])
    expect(await judged(folder, [join(folder, 'k8s/b.yaml')])).toEqual(['k8s/b.yaml'])
  })

  it('walks YAML and JSON only, and reads a file of another name when it is named', async () => {
    const folder = createFolder({ 'a.yaml': policy(), 'a.txt': policy(), 'B.YAML': policy(), 'c.yaml.bak': policy() })
    expect(await judged(folder)).toEqual(['B.YAML', 'a.yaml'])
    expect(await judged(folder, ['a.txt'])).toEqual(['a.txt'])
  })

  it('leaves out hidden folders and node_modules, not hidden files', async () => {
    const folder = createFolder({
      '.github/a.yaml': policy(),
      'node_modules/x/a.yaml': policy(),
      'k8s/node_modules/a.yaml': policy(),
      '.b.yaml': policy(),
    })
    expect(await judged(folder)).toEqual(['.b.yaml'])
    expect(await judged(folder, ['.github'])).toEqual(['.github/a.yaml'])
  })

  it('judges a file once, however often it is named', async () => {
    const folder = createFolder({ 'k8s/a.yaml': policy() })
    expect(await judged(folder, ['.', 'k8s', './k8s/a.yaml', 'k8s/*.yaml'])).toEqual(['k8s/a.yaml'])
  })

  it('counts every file that was looked into', async () => {
    const folder = createFolder({ 'a.yaml': policy(), 'b.yaml': 'kind: ConfigMap', 'c.yaml': '', 'd.md': '' })
    expect((await collect(folder)).files).toBe(3)
  })
})

describe('globs', () => {
  const files = {
    'apps/shop/overlays/prod/a.yaml': policy(),
    'apps/shop/base/a.yaml': policy(),
    'apps/bank/overlays/a.txt': policy(),
    'apps/node_modules/overlays/a.yaml': policy(),
  }

  it('matches files and everything in the folders that match', async () => {
    const folder = createFolder(files)
    expect(await judged(folder, ['apps/*/overlays'])).toEqual([
      'apps/bank/overlays/a.txt',
      'apps/shop/overlays/prod/a.yaml',
    ])
    expect(await judged(folder, ['apps/**/*.yaml'])).toEqual([
      'apps/shop/base/a.yaml',
      'apps/shop/overlays/prod/a.yaml',
    ])
    expect(await judged(folder, ['apps/{shop,bank}/base/?.yaml'])).toEqual(['apps/shop/base/a.yaml'])
  })

  it('reports that nothing matches', async () => {
    expect((await collect(createFolder(files), ['apps/*/nothing'])).problems).toEqual([
      { file: 'apps/*/nothing', reason: 'no file to check matches this pattern' },
    ])
  })

  it('takes a file with such a name for what it is', async () => {
    const folder = createFolder({ 'a[1].yaml': policy(), 'a1.yaml': policy() })
    expect(await judged(folder, ['a[1].yaml'])).toEqual(['a[1].yaml'])
  })
})

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
  it('is reported once each, and everything else is read', async () => {
    const folder = createFolder({ 'a.yaml': policy() })
    const { problems, sources } = await collect(folder, ['gone.yaml', '.', 'gone.yaml', 'a.yaml/b.yaml'])
    expect(problems).toEqual([
      { file: 'gone.yaml', reason: 'no such file or folder' },
      { file: 'a.yaml/b.yaml', reason: 'a part of the path is not a folder' },
    ])
    expect(sources).toHaveLength(1)
  })

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
      { file: 'link\uFFFD.yaml', reason: link },
      { file: 'nowhere\uFFFD.yaml', reason: 'a symbolic link that leads nowhere' },
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

  it('never opens a named pipe, which is a problem only where it is named', async () => {
    const folder = createFolder({ 'a.yaml': policy() })
    execFileSync('mkfifo', [join(folder, 'pipe.yaml'), join(folder, 'pipe')])
    const reason = 'a named pipe, not a file; pipe it into `sluice lint -` instead'
    expect(await collect(folder)).toMatchObject({ problems: [], notJudged: [{ file: 'pipe.yaml', reason }] })
    expect(await collect(folder, ['pipe'])).toMatchObject({ problems: [{ file: 'pipe', reason }], notJudged: [] })
  })

  it('never opens a device', async () => {
    expect((await collect('/', ['/dev/zero'])).problems).toEqual([{ file: 'dev/zero', reason: 'a device, not a file' }])
  })

  it('reports a link that leads nowhere or in a circle, as a problem only where it is named', async () => {
    const folder = createFolder()
    symlinkSync('gone', join(folder, 'broken.yaml'))
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'))
    const both = [
      { file: 'broken.yaml', reason: 'a symbolic link that leads nowhere' },
      { file: 'loop.yaml', reason: 'a loop of symbolic links' },
    ]
    expect(await collect(folder)).toMatchObject({ problems: [], notJudged: both, isPartial: true })
    expect(await collect(folder, ['broken.yaml', 'loop.yaml'])).toMatchObject({ problems: both, notJudged: [] })
  })

  it('reports a folder and a file without permission', async () => {
    const folder = createFolder({ 'a.yaml': policy(), 'shut/b.yaml': policy(), 'shut.yaml': policy() })
    chmodSync(folder, 0o755)
    chmodSync(join(folder, 'shut'), 0)
    chmodSync(join(folder, 'shut.yaml'), 0)
    const { problems, sources } = await withoutPrivileges(() => collect(folder))
    chmodSync(join(folder, 'shut'), 0o700)
    expect(problems).toEqual([
      { file: 'shut', reason: 'permission denied' },
      { file: 'shut.yaml', reason: 'permission denied' },
    ])
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

describe('large files', () => {
  it('are searched, and reported where they name a judged kind', async () => {
    const folder = createFolder({ 'other.yaml': 'kind: ConfigMap\n', 'policy.yaml': 'kind: ConfigMap\n' })
    for (const name of ['other.yaml', 'policy.yaml']) truncateSync(join(folder, name), 200 * 1024 * 1024)
    writeFileSync(join(folder, 'policy.yaml'), policy(), { flag: 'a' })
    const before = process.memoryUsage().rss
    expect((await collect(folder)).sources).toMatchObject([
      { file: 'policy.yaml', text: '', problem: { code: 'unreadable', reason: 'too large: 200.0 MiB; split it' } },
    ])
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024)
  })

  it('below the limit are read whole, whatever their length', async () => {
    const text = policy()
    const sizes = [511, 512, 513, 4096, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1_000_000]
    const padded = sizes.map((size) => `${text}#${' '.repeat(size - text.length - 2)}\n`)
    const folder = createFolder(Object.fromEntries(padded.map((content, index) => [`${index}.yaml`, content])))
    const { sources } = await collect(folder)
    expect(sources.map((source) => textOf(source).length)).toEqual(sizes)
  })
})

describe('links', () => {
  it('to files are followed once for each real file; links to folders are not', async () => {
    const folder = createFolder({ 'k8s/a.yaml': policy(), 'elsewhere/b.txt': policy() })
    symlinkSync('a.yaml', join(folder, 'k8s/0.yaml'))
    symlinkSync('../elsewhere/b.txt', join(folder, 'k8s/b.yaml'))
    symlinkSync('../elsewhere/b.txt', join(folder, 'k8s/c.yaml'))
    symlinkSync('../elsewhere', join(folder, 'k8s/folder'))
    symlinkSync('..', join(folder, 'k8s/up.yaml'))
    expect(await collect(folder, ['k8s'])).toMatchObject({ problems: [] })
    expect(await judged(folder, ['k8s'])).toEqual(['k8s/a.yaml', 'k8s/b.yaml'])
  })

  it('that are named are followed, also to folders', async () => {
    const folder = createFolder({ 'real/a.yaml': policy() })
    symlinkSync('real', join(folder, 'link'))
    expect(await judged(folder, ['link'])).toEqual(['link/a.yaml'])
    expect(await judged(folder, ['link/a.yaml'])).toEqual(['link/a.yaml'])
  })

  it('of the hard kind are files like any other', async () => {
    const folder = createFolder({ 'a.yaml': policy() })
    linkSync(join(folder, 'a.yaml'), join(folder, 'b.yaml'))
    expect(await judged(folder)).toEqual(['a.yaml', 'b.yaml'])
  })
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
    expect(sources.map(({ file, namespace }) => [file, namespace])).toEqual([
      ['a.yaml', { fallback: 'shop', sharedBy: 'folder .' }],
      ['<stdin>', { fallback: 'shop', sharedBy: '<stdin>' }],
    ])
  })

  it('is looked into and passed over where it names no judged kind', async () => {
    expect(await collect(createFolder(), ['-'], { stdin: input('kind: [ConfigMap, {') })).toMatchObject({
      sources: [],
      files: 1,
      problems: [],
    })
  })

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
