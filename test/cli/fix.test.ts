/** `sluice lint --fix`, on real files, with the real `git`. */
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { createRepository, gitIn } from '../files/repository.ts'
import { sluice } from './run.ts'

const RIGHT = policy()
/** A policy with an error that has no fix. */
const HOPELESS = policy({ rate: '0r/s' })

const read = (folder: string, file = 'a.yaml'): string => readFileSync(join(folder, file), 'utf8')

/** Below it may be notes: the files define one policy several times. */
const firstLine = (text: string): string => text.slice(0, text.indexOf('\n'))

describe('lint --fix', () => {
  it('writes what is safe to fix, and reports how much', async () => {
    const folder = createFolder({ 'a.yaml': WRONG, 'b/b.yaml': `${WRONG}---\n${WRONG.replace('coffee', 'tea')}` })
    const { code, stdout, stderr } = await sluice(['lint', '--fix'], { cwd: folder })
    expect(read(folder)).toBe(RIGHT)
    expect({ code, stderr: firstLine(stderr) }).toEqual({ code: 0, stderr: 'fixed 3 findings in 2 files' })
    expect(stdout).toMatch(/^no problems/)
  })

  it('reports what remains, where it stands now', async () => {
    const folder = createFolder({ 'a.yaml': `${WRONG.replace('zoneSize: 10m', 'x: 1')}---\n${HOPELESS}` })
    const { code, stdout } = await sluice(['lint', '--fix', '--format', 'json'], { cwd: folder })
    const after = await sluice(['lint', '--format', 'json'], { cwd: folder })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual(JSON.parse(after.stdout))
    expect(JSON.parse(stdout).summary.errors).toBe(2)
  })

  it('changes nothing the second time', async () => {
    const folder = createFolder({ 'a.yaml': WRONG })
    await sluice(['lint', '--fix'], { cwd: folder })
    const { ino } = statSync(join(folder, 'a.yaml'))
    const { stderr } = await sluice(['lint', '--fix'], { cwd: folder })
    expect([stderr, statSync(join(folder, 'a.yaml')).ino]).toEqual(['nothing to fix\n', ino])
  })

  it('leaves what may change behaviour to --fix=all, and reports it', async () => {
    const { folder, write, commit } = createRepository()
    commit({ 'a.yaml': RIGHT })
    write({ 'a.yaml': RIGHT.replace('$binary_remote_addr', '$remote_user$binary_remote_addr') })
    const safe = await sluice(['lint', '--fix', '--base', 'HEAD'], { cwd: folder })
    expect([safe.code, safe.stderr]).toEqual([
      1,
      'nothing to fix\nnote: --fix=all would fix 1 more finding, which may change behaviour\n',
    ])
    const all = await sluice(['lint', '--fix=all', '--base', 'HEAD'], { cwd: folder })
    expect([all.code, all.stderr]).toEqual([0, 'fixed 1 finding in 1 file\n'])
    expect(read(folder)).toContain('zoneSize: 11m')
  })

  it('fixes nothing of a rule that is off', async () => {
    const folder = createFolder({ 'a.yaml': WRONG })
    await sluice(['lint', '--fix', '--rule', 'gateway/rate-syntax=off'], { cwd: folder })
    expect(read(folder)).toBe(WRONG)
  })

  it('reports what is not fixed because of an anchor', async () => {
    const shared = WRONG.replace('10R/S', '&r 10R/S').replace(
      '  name: coffee',
      '  name: coffee\n  labels: { rate: *r }',
    )
    const ordered = `${WRONG.replace('metadata:\n', 'metadata:\n  labels: { rate: &r 10R/S }\n').replace(/rate: 10R\/S$/m, 'rate: *r')}`
    const folder = createFolder({ 'alias.yaml': ordered, 'anchor.yaml': shared })
    const { stderr } = await sluice(['lint', '--fix', 'alias.yaml'], { cwd: folder })
    expect(stderr).toBe('fixed 1 finding in 1 file\n')
    expect(read(folder, 'alias.yaml')).toBe(ordered.replace('*r', '10r/s'))
  })

  it('leaves an anchor that other values share, and reports it', async () => {
    const text = WRONG.replace(/rate: 10R\/S$/m, 'rate: &r 10R/S').concat('status: { note: *r }\n')
    const folder = createFolder({ 'a.yaml': text })
    const { code, stderr } = await sluice(['lint', '--fix'], { cwd: folder })
    expect([code, read(folder)]).toEqual([1, text])
    expect(stderr).toBe(
      'nothing to fix\nnote: 1 finding not fixed because an anchor would carry the change to other places: a.yaml:15\n',
    )
  })
})

describe('lint --fix --dry-run', () => {
  const texts = {
    'plain.yaml': WRONG,
    'with space/é.yaml': WRONG,
    'crlf.yaml': WRONG.replaceAll('\n', '\r\n'),
    'no-end.yaml': WRONG.replace(/\n {8}burst[\s\S]*$/, ''),
    'both.json': JSON.stringify({ apiVersion: 'gateway.nginx.org/v1', kind: 'RateLimitPolicy' }),
    'good.yaml': RIGHT.replace('coffee', 'good'),
  }

  it('writes nothing, and prints what git takes', async () => {
    const folder = createFolder(texts)
    const { code, stdout, stderr } = await sluice(['lint', '--fix', '--dry-run'], { cwd: folder })
    for (const [file, text] of Object.entries(texts)) expect(read(folder, file)).toBe(text)
    expect([code, stderr.split('\n')[0]]).toEqual([1, 'would fix 6 findings in 5 files'])
    writeFileSync(join(folder, 'change.diff'), stdout)
    const git = gitIn(folder)
    git('init', '--quiet')
    git('apply', 'change.diff')
    const fixed = createFolder(texts)
    await sluice(['lint', '--fix'], { cwd: fixed })
    for (const file of Object.keys(texts)) expect(read(folder, file)).toBe(read(fixed, file))
  })

  it('paints the diff for a terminal, unless NO_COLOR asks for none', async () => {
    const folder = createFolder({ 'a.yaml': WRONG })
    const painted = await sluice(['lint', '--fix', '--dry-run'], { cwd: folder, columns: 80 })
    expect(painted.stdout).toContain('\x1b[32m+        rate: 10r/s\x1b[39m')
    const plain = await sluice(['lint', '--fix', '--dry-run'], { cwd: folder, columns: 80, env: { NO_COLOR: '1' } })
    expect(plain.stdout).toContain('\n+        rate: 10r/s\n')
  })

  it('reports what the files hold, on the standard error', async () => {
    const folder = createFolder({ 'a.yaml': WRONG })
    const { stderr } = await sluice(['lint', '--fix', '--dry-run'], { cwd: folder })
    expect(stderr).toContain('"10R/S" is not a valid rate')
  })
})

describe('lint --fix -', () => {
  it('prints the fixed standard input, and the report beside it', async () => {
    const { code, stdout, stderr } = await sluice(['lint', '--fix', '-'], { stdin: WRONG })
    expect([code, stdout]).toEqual([0, RIGHT])
    expect(stderr).toMatch(/^fixed 1 finding\nno problems/)
  })

  it.each([
    ['nothing to fix', RIGHT],
    ['nothing to judge', 'kind: ConfigMap\n'],
    ['nothing at all', ''],
  ])('passes on what holds %s', async (_, text) => {
    expect((await sluice(['lint', '--fix', '-'], { stdin: text })).stdout).toBe(text)
  })
})

describe('a standard input that cannot be passed on', () => {
  it.each([
    ['is no text', [Buffer.from(`${WRONG}# `), Uint8Array.of(0xff)]],
    ['is too large', Array.from({ length: 65 }, () => Buffer.alloc(1024 * 1024, WRONG))],
  ])('is not printed in part where it %s', async (_, stdin) => {
    const { code, stdout } = await sluice(['lint', '--fix', '-'], { stdin })
    expect([code === 0, stdout]).toEqual([false, ''])
  })
})

describe('wrong usage of --fix', () => {
  it.each([
    [['--fix=al'], '--fix=al: did you mean --fix=all?'],
    [['--fix=everything'], '--fix=everything: write --fix or --fix=all'],
    [['--fix='], '--fix needs a value: --fix=all'],
    [['--dry-run'], '--dry-run goes with --fix: sluice lint --fix --dry-run'],
    [['--fix', '--cluster'], '--fix changes files, and --cluster reads none: fix the manifests'],
    [['--fix', '-', 'k8s'], '--fix prints the fixed standard input: name no other path beside -'],
    [['--fixx'], 'unknown flag --fixx; did you mean --fix?'],
  ])('%j is rejected in one line', async (flags, message) => {
    expect(await sluice(['lint', ...flags])).toEqual({ code: 2, stdout: '', stderr: `sluice: ${message}\n` })
  })

  it('takes what follows --fix for a path', async () => {
    const folder = createFolder({ all: WRONG, 'b.yaml': WRONG })
    await sluice(['lint', '--fix', 'all'], { cwd: folder })
    expect([read(folder, 'all'), read(folder, 'b.yaml')]).toEqual([RIGHT, WRONG])
  })
})

describe('a file that --fix writes', () => {
  it('keeps its mode', async () => {
    const folder = createFolder({ 'a.yaml': WRONG })
    chmodSync(join(folder, 'a.yaml'), 0o640)
    await sluice(['lint', '--fix'], { cwd: folder })
    expect([read(folder), statSync(join(folder, 'a.yaml')).mode & 0o777]).toEqual([RIGHT, 0o640])
  })

  it('keeps its encoding', async () => {
    const wide = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')
    const folder = createFolder({ 'a.yaml': wide(WRONG), 'b.yaml': wide(WRONG).swap16(), 'c.yaml': `\uFEFF${WRONG}` })
    const { stderr } = await sluice(['lint', '--fix'], { cwd: folder })
    expect(firstLine(stderr)).toBe('fixed 3 findings in 3 files')
    const bytes = ['a.yaml', 'b.yaml', 'c.yaml'].map((file) => readFileSync(join(folder, file)))
    expect(bytes).toEqual([wide(RIGHT), wide(RIGHT).swap16(), Buffer.from(`\uFEFF${RIGHT}`)])
  })

  it('is not changed where it is read-only, and the others are fixed', async () => {
    const folder = createFolder({ 'a.yaml': WRONG, 'b.yaml': WRONG })
    chmodSync(join(folder, 'a.yaml'), 0o444)
    const { code, stdout, stderr } = await sluice(['lint', '--fix'], { cwd: folder })
    expect([code, read(folder), read(folder, 'b.yaml')]).toEqual([2, WRONG, RIGHT])
    expect(stderr).toMatch(/^sluice: a\.yaml: read-only, so it is not fixed\nfixed 1 finding in 1 file\n/)
    expect(stdout).toContain('"10R/S" is not a valid rate')
  })

  it('is left as it is where it changes while it is judged', async () => {
    const folder = createFolder({ 'a.yaml': WRONG })
    const changed = `${WRONG}# mine\n`
    let time = 0
    const now = () => {
      if (time++ === 2) writeFileSync(join(folder, 'a.yaml'), changed)
      return time
    }
    const { code, stderr } = await sluice(['lint', '--fix'], { cwd: folder, now, columns: 80 })
    expect([code, read(folder)]).toEqual([2, changed])
    expect(stderr).toContain('sluice: a.yaml: changed while it was checked, so it is not fixed: run it again\n')
  })

  it('is written where a link leads, and the link stays one', async () => {
    const folder = createFolder({ 'real/a.yaml': WRONG, 'links/': '' })
    symlinkSync('../real/a.yaml', join(folder, 'links/b.yaml'))
    await sluice(['lint', '--fix', 'links/b.yaml'], { cwd: folder })
    expect(read(folder, 'real/a.yaml')).toBe(RIGHT)
    expect(lstatSync(join(folder, 'links/b.yaml')).isSymbolicLink()).toBe(true)
  })

  it('leaves the old text to its other names', async () => {
    const folder = createFolder({ 'a.yaml': WRONG })
    mkdirSync(join(folder, 'other'))
    linkSync(join(folder, 'a.yaml'), join(folder, 'other/a.txt'))
    await sluice(['lint', '--fix'], { cwd: folder })
    expect([read(folder), read(folder, 'other/a.txt')]).toEqual([RIGHT, WRONG])
  })

  it('leaves nothing beside it', async () => {
    const folder = createFolder({ 'a.yaml': WRONG, 'b.yaml': HOPELESS })
    await sluice(['lint', '--fix'], { cwd: folder })
    expect(readdirSync(folder).sort()).toEqual(['a.yaml', 'b.yaml'])
  })
})

describe('--fix writes only what lint reports', () => {
  const known = async (folder: string) => await sluice(['lint', '--write-baseline'], { cwd: folder })

  it('not what a baseline suppresses', async () => {
    const folder = createFolder({ 'a.yaml': WRONG })
    await known(folder)
    writeFileSync(join(folder, 'b.yaml'), WRONG.replace('coffee', 'tea'))
    const { stderr } = await sluice(['lint', '--fix', '--baseline', 'sluice.baseline.json'], { cwd: folder })
    expect([read(folder), read(folder, 'b.yaml')]).toEqual([WRONG, RIGHT.replace('coffee', 'tea')])
    expect(stderr).toContain('fixed 1 finding in 1 file\n')
  })

  it('only errors with --quiet', async () => {
    const both = WRONG.replace('zoneSize: 10m', 'burst: 5')
    const folder = createFolder({ 'a.yaml': both })
    await sluice(['lint', '--fix', '--quiet'], { cwd: folder })
    expect(read(folder)).toBe(RIGHT.replace('zoneSize: 10m', 'burst: 5'))
  })

  it('no baseline in a dry run', async () => {
    const folder = createFolder({ 'a.yaml': WRONG })
    const { stderr } = await sluice(['lint', '--fix', '--dry-run', '--write-baseline'], { cwd: folder })
    expect(stderr).toContain('note: sluice.baseline.json is not written, because --dry-run writes nothing\n')
    expect(readdirSync(folder)).toEqual(['a.yaml'])
  })

  it('nothing where a flag has an empty value, or a path is empty', async () => {
    const folder = createFolder({ 'a.yaml': WRONG })
    for (const argv of [['--fix', ''], ['--fix='], ['']]) {
      const { code, stderr } = await sluice(['lint', ...argv], { cwd: folder })
      expect(code).toBe(2)
      expect(stderr).toMatch(/an argument is empty|--fix needs a value/)
    }
    expect(read(folder)).toBe(WRONG)
  })
})
