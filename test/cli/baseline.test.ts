import {
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { sluice } from './run.ts'

/** A policy with one warning. */
const WARNED = policy({ name: 'tea' }).replace('noDelay: true', 'delay: 30')

const NAME = 'sluice.baseline.json'
const write = (cwd: string, ...more: string[]) => sluice(['lint', '--write-baseline', ...more], { cwd })
const compare = (cwd: string, ...more: string[]) => sluice(['lint', '--baseline', NAME, ...more], { cwd })
const baselineIn = (cwd: string, name = NAME) => readFileSync(join(cwd, name), 'utf8')
const namesIn = (cwd: string) => JSON.parse(baselineIn(cwd)).findings.map(({ file }: { file: string }) => file)

describe('sluice lint --write-baseline', () => {
  it('writes what is found, a line each, and calls it known', async () => {
    const cwd = createFolder({ 'k8s/b.yaml': WRONG, 'k8s/a.yaml': WARNED })
    const { code, stdout, stderr } = await write(cwd)
    expect({ code, stderr }).toEqual({ code: 0, stderr: `note: ${NAME} knows 2 findings now\n` })
    expect(stdout).toContain('no problems in 2 files')
    expect(baselineIn(cwd)).toBe(`{
  "version": 1,
  "findings": [
    {"file":"k8s/a.yaml","rule":"gateway/delay-not-below-burst","object":"RateLimitPolicy shop/tea","pointer":"/spec/rateLimit/local/rules/*/delay","message":"\\"delay: 30\\" with \\"burst: 20\\" delays no request, just like noDelay","count":1},
    {"file":"k8s/b.yaml","rule":"gateway/rate-syntax","object":"RateLimitPolicy shop/coffee","pointer":"/spec/rateLimit/local/rules/*/rate","message":"\\"10R/S\\" is not a valid rate","count":1}
  ]
}
`)
  })

  it('writes to the named file, creates its folders, and changes no byte the second time', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    await write(cwd, '--baseline', 'ci/known.json')
    const first = baselineIn(cwd, 'ci/known.json')
    expect(JSON.parse(first).findings).toHaveLength(1)
    expect(JSON.parse(first).findings[0].file).toBe('../a.yaml')
    expect((await write(cwd, '--baseline', 'ci/known.json')).code).toBe(0)
    expect(baselineIn(cwd, 'ci/known.json')).toBe(first)
    expect(readdirSync(join(cwd, 'ci'))).toEqual(['known.json'])
  })

  it('writes an empty one where nothing is wrong', async () => {
    const cwd = createFolder({ 'a.yaml': policy() })
    expect((await write(cwd)).stderr).toBe(`note: ${NAME} knows 0 findings now\n`)
    expect(baselineIn(cwd)).toBe('{\n  "version": 1,\n  "findings": []\n}\n')
  })

  it('keeps what it did not look for: other paths, and rules that could not run', async () => {
    const cwd = createFolder({ 'a/a.yaml': WRONG, 'b/b.yaml': WARNED })
    await write(cwd, '--closed-world')
    const all = baselineIn(cwd)
    expect(all).toContain('gateway/target-not-found')
    await write(cwd)
    expect(baselineIn(cwd)).toBe(all)
    writeFileSync(join(cwd, 'a/a.yaml'), policy())
    await write(cwd, 'a', '--closed-world')
    expect(new Set(namesIn(cwd))).toEqual(new Set(['a/a.yaml', 'b/b.yaml']))
    expect(baselineIn(cwd)).not.toContain('rate-syntax')
    unlinkSync(join(cwd, 'b/b.yaml'))
    await write(cwd, 'b', '--closed-world')
    expect(namesIn(cwd)).toEqual(['a/a.yaml'])
  })

  it('does not write what comments suppress', async () => {
    const cwd = createFolder({
      'a.yaml': WRONG.replace('10R/S', '10R/S # sluice-disable-line gateway/rate-syntax -- rewritten on its way'),
    })
    await write(cwd)
    expect(namesIn(cwd)).toEqual([])
  })

  it('writes nothing where not everything could be read', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    const { code, stdout, stderr } = await write(cwd, 'a.yaml', 'missing.yaml')
    expect(code).toBe(2)
    expect(stdout).toContain('gateway/rate-syntax')
    expect(stderr).toContain(`${NAME} is not written because not everything could be judged`)
    expect(readdirSync(cwd)).toEqual(['a.yaml'])
  })

  it('overwrites nothing that is not a baseline', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG, 'package.json': '{"name":"shop"}' })
    const { code, stderr } = await write(cwd, '--baseline', 'package.json')
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'sluice: package.json is not a baseline of sluice\n' })
    expect(baselineIn(cwd, 'package.json')).toBe('{"name":"shop"}')
  })

  it('reports all the same where it cannot write', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    const { code, stdout, stderr } = await write(cwd, '--baseline', '/proc/known.json')
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'sluice: /proc/known.json: no such file or folder\n' })
    expect(stdout).toContain('gateway/rate-syntax')
  })

  it('reports before it judges that the file cannot be written', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG, occupied: 'a file' })
    expect(await write(cwd, '--baseline', 'occupied/known.json')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'sluice: occupied/known.json: a part of the path is not a folder\n',
    })
  })

  it('follows a link', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG, 'ci/known.json': '{"version":1,"findings":[]}' })
    symlinkSync('ci/known.json', join(cwd, NAME))
    await write(cwd)
    expect(lstatSync(join(cwd, NAME)).isSymbolicLink()).toBe(true)
    expect(JSON.parse(baselineIn(cwd, 'ci/known.json')).findings).toHaveLength(1)
  })
})

describe('sluice lint --baseline', () => {
  it('suppresses known findings wherever their lines have moved, and reports new ones', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    await write(cwd)
    const moved = WRONG.replace('      - key', '      - { key: $uri, rate: 1r/s, zoneSize: 10m }\n      - key')
    writeFileSync(join(cwd, 'a.yaml'), `# a comment\n\n${moved}`)
    expect(await compare(cwd)).toMatchObject({ code: 0, stderr: '' })
    writeFileSync(join(cwd, 'a.yaml'), moved.replace('1r/s', '1R/S'))
    const { code, stdout } = await compare(cwd)
    expect(code).toBe(1)
    expect(stdout).toContain('"1R/S" is not a valid rate')
    expect(stdout).not.toContain('10R/S')
  })

  it('knows how many there are of equal findings', async () => {
    const twice = (rate: string) =>
      WRONG.replace('zoneSize: 10m\n', `zoneSize: 10m\n      - { key: $uri, rate: ${rate}, zoneSize: 10m }\n`)
    const cwd = createFolder({ 'a.yaml': twice('10R/S') })
    await write(cwd)
    expect(JSON.parse(baselineIn(cwd)).findings).toMatchObject([{ count: 2 }])
    expect(await compare(cwd)).toMatchObject({ code: 0, stderr: '' })
    writeFileSync(join(cwd, 'a.yaml'), twice('10r/s'))
    const { code, stderr } = await compare(cwd)
    expect(code).toBe(0)
    expect(stderr).toBe(
      `note: 1 finding of ${NAME} is gone: gateway/rate-syntax in a.yaml; --write-baseline removes it\n`,
    )
  })

  it('serves from every working directory', async () => {
    const cwd = createFolder({ 'k8s/a.yaml': WRONG, 'other/': '' })
    await write(cwd)
    const within = await sluice(['lint', '--baseline', `../${NAME}`], { cwd: join(cwd, 'k8s') })
    expect(within).toMatchObject({ code: 0, stderr: '' })
    const beside = await sluice(['lint', '../k8s', '--baseline', join(cwd, NAME)], { cwd: join(cwd, 'other') })
    expect(beside).toMatchObject({ code: 0, stderr: '' })
  })

  it('names what is gone, the first three, and only among the paths of the run', async () => {
    const names = ['a', 'b', 'c', 'd'].map((name) => `k8s/${name}.yaml`)
    const cwd = createFolder({ ...Object.fromEntries(names.map((name) => [name, WRONG])), 'other/e.yaml': WRONG })
    await write(cwd)
    for (const name of names) rmSync(join(cwd, name))
    writeFileSync(join(cwd, 'other/e.yaml'), policy())
    const said = `note: 4 findings of ${NAME} are gone: ${names
      .slice(0, 3)
      .map((name) => `gateway/rate-syntax in ${name}`)
      .join(', ')}, …; --write-baseline removes them\n`
    expect(await compare(cwd, 'k8s')).toMatchObject({ code: 0, stderr: said })
    expect((await compare(cwd, 'k8s', '--quiet')).stderr).toBe('')
    expect((await compare(cwd, '{k8s,other}/*.yaml')).stderr).toContain('5 findings')
  })

  it('does not call gone what this run could not find', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    await write(cwd, '--closed-world')
    expect((await compare(cwd)).stderr).toBe('')
    expect((await compare(cwd, '--rule', 'gateway/rate-syntax=off')).stderr).toBe('')
    writeFileSync(join(cwd, 'a.yaml'), `${WRONG}{`)
    const { code, stderr } = await compare(cwd, '--closed-world')
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  })

  it('reports the findings of a renamed file again, because it is not known to be the same', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    await write(cwd)
    renameSync(join(cwd, 'a.yaml'), join(cwd, 'b.yaml'))
    const { code, stderr } = await compare(cwd)
    expect(code).toBe(1)
    expect(stderr).toContain('gateway/rate-syntax in a.yaml')
  })

  it('knows what comes through the standard input', async () => {
    const cwd = createFolder()
    const through = (text: string, ...more: string[]) => sluice(['lint', '-', ...more], { cwd, stdin: text })
    await through(WRONG, '--write-baseline')
    expect(await through(WRONG, '--baseline', NAME)).toMatchObject({ code: 0, stderr: '' })
    expect((await through(policy(), '--baseline', NAME)).stderr).toContain('gateway/rate-syntax in <stdin>')
    expect((await compare(cwd)).stderr).toBe('')
  })

  it('counts with --max-warnings only what is new', async () => {
    const cwd = createFolder({ 'a.yaml': WARNED })
    await write(cwd)
    expect((await compare(cwd, '--max-warnings', '0')).code).toBe(0)
    writeFileSync(join(cwd, 'b.yaml'), WARNED.replace('tea', 'milk'))
    expect((await compare(cwd, '--max-warnings', '0')).code).toBe(1)
  })

  it.each([
    [undefined, `${NAME}: no such file; sluice lint --baseline ${NAME} --write-baseline creates it`],
    [
      '{"version":2,"findings":[]}',
      `${NAME} is a baseline of version 2, and this sluice reads version 1; use the sluice that wrote it, or remove it and write it again`,
    ],
    ['{"version":1,"findings":', `${NAME} is not valid JSON; correct it, or remove it and write it again`],
    ['<<<<<<< HEAD\n{}', `${NAME} has conflict markers of Git; correct it, or remove it and write it again`],
    ['[]', `${NAME} is not a baseline of sluice`],
    ['{"version":1}', `${NAME} is a baseline without "findings"; remove it and write it again`],
    [
      '{"version":1,"findings":[{"rule":1}]}',
      `${NAME} is a baseline whose finding 1 was not written by sluice; correct it`,
    ],
  ])('reports what is wrong with %j', async (text, said) => {
    const cwd = createFolder({ 'a.yaml': WRONG, ...(text === undefined ? {} : { [NAME]: text }) })
    expect(await compare(cwd)).toEqual({ code: 2, stdout: '', stderr: `sluice: ${said}\n` })
  })

  it('takes no folder, and no cluster', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG, 'ci/': '' })
    expect((await sluice(['lint', '--baseline', 'ci'], { cwd })).stderr).toBe(
      'sluice: ci: expected a file, found a folder\n',
    )
    expect((await sluice(['lint', '--baseline', NAME, '--cluster'], { cwd })).stderr).toBe(
      'sluice: --baseline is for findings in files: use it without --cluster\n',
    )
  })

  it('is not judged itself', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    await write(cwd)
    expect((await compare(cwd)).stdout).toContain('(1 document)')
  })
})
