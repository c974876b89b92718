/** Files that sluice writes: whole, with the owner and the mode that they had, and never over another change. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeFolder, writeOutput } from '../../src/files/write/new-files.ts'
import { rewriteFiles } from '../../src/files/write/rewrite-files.ts'
import { createFolder } from './folder.ts'

const modeOf = (path: string): number => statSync(path).mode & 0o7777

/** Runs with a umask, whatever that of the test run is. */
function withUmask<Value>(mask: number, run: () => Value): Value {
  const before = process.umask(mask)
  try {
    return run()
  } finally {
    process.umask(before)
  }
}

/** Makes a folder with one file of a mode, which the umask does not change. */
function fileOfMode(mode: number, text = 'old\n'): { readonly folder: string; readonly path: string } {
  const folder = createFolder({ 'a.yaml': text })
  const path = join(folder, 'a.yaml')
  chmodSync(path, mode)
  return { folder, path }
}

const rewriteOf = (path: string) => ({ file: 'a.yaml', path, before: 'old\n', after: 'new\n' })

const NOBODY = 65534

/** Only root can take the rights of another user, or give files away. */
describe.runIf(process.geteuid?.() === 0)('a file of another user', () => {
  /** Runs as the user nobody for a while. */
  async function asNobody<Value>(action: () => Promise<Value>): Promise<Value> {
    process.setegid?.(NOBODY)
    process.seteuid?.(NOBODY)
    try {
      return await action()
    } finally {
      process.seteuid?.(0)
      process.setegid?.(0)
    }
  }

  it.each([
    ['of another group', NOBODY, 0],
    ['of another user', 0, NOBODY],
  ])('%s is not fixed, because it would become that of the user', async (_, uid, gid) => {
    const { folder, path } = fileOfMode(0o666)
    chmodSync(folder, 0o777)
    chownSync(path, uid, gid)
    const problems = await asNobody(() => rewriteFiles([rewriteOf(path)], { cwd: dirname(path) }))
    expect(problems).toEqual([
      { file: 'a.yaml', reason: 'it belongs to another user or group, which would change, so it is not fixed' },
    ])
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['old\n', ['a.yaml']])
  })

  it('keeps its owner when root fixes it', async () => {
    const { path } = fileOfMode(0o640)
    chownSync(path, NOBODY, NOBODY)
    expect(await rewriteFiles([rewriteOf(path)], { cwd: dirname(path) })).toEqual([])
    const { uid, gid } = statSync(path)
    expect([readFileSync(path, 'utf8'), uid, gid]).toEqual(['new\n', NOBODY, NOBODY])
  })
})

it('removes the drafts of runs that have ended, and no others', async () => {
  const { folder, path } = fileOfMode(0o644)
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const draft = (pid: number | undefined) => `.sluice-${pid}-00000000-0000-4000-8000-000000000000`
  const others = [draft(process.pid), '.sluice-notes', '.sluice-1-notes']
  for (const name of [draft(ended), ...others]) writeFileSync(join(folder, name), 'half')
  expect(await rewriteFiles([rewriteOf(path)], { cwd: dirname(path) })).toEqual([])
  expect(readdirSync(folder).sort()).toEqual([...others, 'a.yaml'].sort())
})

describe('a file keeps its mode under umask 022', () => {
  it.each([0o664, 0o640, 0o777, 0o2664])('%o, when it is fixed', async (mode) => {
    const { path } = fileOfMode(mode)
    // Up to its first wait, the function has written the draft and set its mode.
    const problems = await withUmask(0o022, () => rewriteFiles([rewriteOf(path)], { cwd: dirname(path) }))
    expect([problems, readFileSync(path, 'utf8'), modeOf(path)]).toEqual([[], 'new\n', mode])
  })

  it.each([
    ['a report', (folder: string, path: string) => void writeOutput(path, folder, 'new\n', folder)],
    ['a file of a folder', (folder: string) => void writeFolder(folder, [{ path: 'a.yaml', text: 'new\n' }], folder)],
  ])('664, when %s is written over it', (_, write) => {
    const { folder, path } = fileOfMode(0o664)
    withUmask(0o022, () => write(folder, path))
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new\n', 0o664])
  })

  it('and a new file gets the mode of any other new file', () => {
    const folder = createFolder()
    withUmask(0o022, () => writeFolder(folder, [{ path: 'b/a.yaml', text: 'new\n' }], folder))
    expect(modeOf(join(folder, 'b/a.yaml'))).toBe(0o644)
  })
})

/** Seconds since 1970: a time that every file system stores exactly. */
const TIME = 1_700_000_000

describe('a file that changes between reading and renaming is left as it is', () => {
  /** Rewrites `a.yaml`, and changes it when the draft is written and not yet renamed. */
  async function rewriteDuring(change: (path: string) => void) {
    const folder = createFolder({ 'a.yaml': 'old\n' })
    const path = join(folder, 'a.yaml')
    utimesSync(path, TIME, TIME)
    const running = rewriteFiles([rewriteOf(path)], { cwd: dirname(path) })
    expect(readdirSync(folder)).toHaveLength(2)
    change(path)
    const problems = await running
    return { problems, text: readFileSync(path, 'utf8'), names: readdirSync(folder) }
  }

  it.each([
    ['is longer', (path: string) => keepingTime(path, () => writeFileSync(path, 'old\n# mine\n')), 'old\n# mine\n'],
    [
      'has another time and the same length',
      (path: string) => {
        writeFileSync(path, 'OLD\n')
        utimesSync(path, 1, 1)
      },
      'OLD\n',
    ],
    [
      'is replaced by one of the same length and time',
      (path: string) =>
        keepingTime(path, () => {
          writeFileSync(`${path}.other`, 'OLD\n')
          renameSync(`${path}.other`, path)
        }),
      'OLD\n',
    ],
  ])('where it %s', async (_, change, text) =>
    expect(await rewriteDuring(change)).toEqual({
      problems: [{ file: 'a.yaml', reason: 'changed while it was checked, so it is not fixed: run it again' }],
      text,
      names: ['a.yaml'],
    }),
  )

  it('and one that does not change is written', async () =>
    expect(await rewriteDuring(() => {})).toEqual({ problems: [], text: 'new\n', names: ['a.yaml'] }))

  it('and one that is removed is reported', async () => {
    const folder = createFolder({ 'a.yaml': 'old\n' })
    const path = join(folder, 'a.yaml')
    const running = rewriteFiles([rewriteOf(path)], { cwd: dirname(path) })
    renameSync(path, join(folder, 'b.yaml'))
    expect(await running).toEqual([{ file: 'a.yaml', reason: 'no such file or folder' }])
    expect(readdirSync(folder)).toEqual(['b.yaml'])
  })
})

/** Changes a file, and gives it the time of modification that it had. */
function keepingTime(path: string, change: () => void): void {
  change()
  utimesSync(path, TIME, TIME)
}

describe('a folder of files', () => {
  it('is written in full or not at all where one of them cannot be', () => {
    const folder = createFolder({ 'a.conf': 'old\n', 'b.conf/': '' })
    const files = ['a.conf', 'b.conf'].map((path) => ({ path, text: 'new\n' }))
    expect(writeFolder('out', files, folder)).toEqual({ files: ['out/a.conf', 'out/b.conf'] })
    expect(writeFolder('.', files, folder)).toEqual({
      problem: { file: './b.conf', reason: 'expected a file, found a folder' },
    })
    expect(readFileSync(join(folder, 'a.conf'), 'utf8')).toBe('old\n')
    expect(readdirSync(folder).sort()).toEqual(['a.conf', 'b.conf', 'out'])
  })

  it('replaces a link by a file, and leaves alone where it led', () => {
    const folder = createFolder({ 'real.conf': 'old\n' })
    mkdirSync(join(folder, 'out'))
    symlinkSync('../real.conf', join(folder, 'out/a.conf'))
    writeFolder('out', [{ path: 'a.conf', text: 'new\n' }], folder)
    expect(lstatSync(join(folder, 'out/a.conf')).isSymbolicLink()).toBe(false)
    expect(readFileSync(join(folder, 'real.conf'), 'utf8')).toBe('old\n')
  })
})
