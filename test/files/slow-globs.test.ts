/** Globs and patterns of strangers that take an expression with backtracking years to match. */
import { describe, expect, it, test } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { matchPaths } from '../../src/files/discover/picomatch-globs.ts'
import { readSettings } from '../../src/settings/file.ts'
import { sluice } from '../cli/run.ts'
import { createFolder, WRONG } from './folder.ts'

const MANY = '*a'.repeat(20)
const LONG = 'a'.repeat(200)

test.each([
  [`${MANY}b`, `${LONG}b`, true],
  [`${MANY}b`, `${LONG}c`, false],
  [`**/${MANY}b/**`, `x/${LONG}b/y/z`, true],
  [`**/${MANY}b`, `../${LONG}b`, false],
  [`${'**/a/'.repeat(20)}b`, `${'a/'.repeat(200)}b`, true],
  [`${'**/a/'.repeat(20)}b`, `${'a/'.repeat(200)}c`, false],
  ['+(a|a*)+(a|a*)b', LONG, false],
  ['*a*a*b', `${'a'.repeat(4000)}b`, true],
  ['*a*a*b', 'a'.repeat(4000), false],
  ['**/a/**/a/**', 'a/'.repeat(2000), true],
  ['{a,b}/**/!(*c)', `a/${'b/'.repeat(200)}d`, true],
  ['*-*-*-*.yaml', 'a-b-c-d.yaml', true],
  ['*-*-*-*.yaml', 'x/a-b-c-d.yaml', false],
  ['*{a,b}*{c,d}*?*[e-f]', 'za-c12e', true],
])('%s matches %s: %s', (glob, path, isMatch) => expect(matchPaths([glob], '/f')(`/f/${path}`)).toBe(isMatch))

const problemsOf = (text: string) => {
  const outcome = readSettings(
    text,
    RULES.map(({ id }) => id),
    () => true,
  )
  return outcome.ok ? [] : outcome.problems.map(({ line, column, path }) => `${line}:${column} ${path}`)
}

it('refuses a glob of the settings that negates and has many wildcards, at its place', () => {
  expect(problemsOf('ignores:\n- "!(a)*b*c*d*e"\n')).toEqual(['2:3 ignores[0]'])
  expect(problemsOf('overrides:\n- files: ["a", "!*b*c*d*e"]\n  rules: {}\n')).toEqual(['2:16 overrides[0].files[1]'])
  expect(problemsOf('worlds:\n- name: a\n  paths: ["+(!(a))"]\n')).toEqual(['3:11 worlds[0].paths[0]'])
  expect(problemsOf('ignores: ["*a*a*a*a\\\\{9,99}b"]\n')).toEqual(['1:11 ignores[0]'])
  expect(problemsOf('ignores: ["!(a)*b", "*-*-*-*.yaml"]\n')).toEqual([])
})

it('refuses a glob of more than 1,000 characters, and none of the command line matches', async () => {
  const long = `{${'a,'.repeat(40_000)}b}`
  expect(problemsOf(`ignores:\n- "${long}"\n`)).toEqual(['2:3 ignores[0]'])
  expect(problemsOf(`ignores:\n- "${'a'.repeat(1000)}"\n`)).toEqual([])
  const cwd = createFolder({ 'a.yaml': WRONG })
  expect((await sluice(['lint', '.', '--exclude', long], { cwd })).code).toBe(1)
  expect((await sluice(['lint', long], { cwd })).code).toBe(2)
})

it('reads a file that a pattern with many wildcards in one name would have Git ignore', async () => {
  const name = `${'a'.repeat(200)}.yaml`
  const cwd = createFolder({
    '.gitignore': `${MANY}b\n${'\\\\'.repeat(300_000)}\n${MANY}*\n**/b/**/*.gen.*\n`,
    [name]: WRONG,
    'b/c.gen.yaml': WRONG,
  })
  const { stdout } = await sluice(['lint', '.', '--format', 'json'], { cwd })
  expect(JSON.parse(stdout).findings.map(({ file }: { file: string }) => file)).toEqual([name])
})

describe('a pattern that is not applied', () => {
  const REASON =
    'a pattern with more than three "*" in one name, more than three "**" or more than 1,000 characters is not applied, so that files which Git ignores by it are read'

  it.each([
    ['many stars in one name', `${MANY}b`],
    ['many stars for folders', '**/a/**/a/**/a/**/b'],
    ['very many characters', 'a'.repeat(1001)],
  ])('has a note, with %s', async (_, pattern) => {
    const cwd = createFolder({ '.gitignore': `# ${pattern}\n*.md\n${pattern}\n${pattern}\n`, 'a.yaml': WRONG })
    expect((await sluice(['lint', '.'], { cwd })).stderr).toBe(`note: .gitignore:3: ${REASON}\n`)
    const { stdout } = await sluice(['lint', '.', '--format', 'json'], { cwd })
    expect(JSON.parse(stdout).notJudged).toEqual([{ file: '.gitignore', reason: REASON, code: 'pattern' }])
  })

  it('has one note for all folders that it applies to, and none elsewhere', async () => {
    const files = {
      'a/.git/info/exclude': `${MANY}b\n`,
      'a/b/a.yaml': WRONG,
      'a/c/b.yaml': 'a: b\n',
      'd/a.yaml': WRONG,
    }
    const cwd = createFolder(files)
    const notes = async (...paths: string[]) => (await sluice(['lint', ...paths], { cwd })).stderr
    expect(await notes('a/b', 'a/c')).toBe(`note: a/.git/info/exclude:1: ${REASON}\n`)
    expect(await notes('d')).toBe('')
    expect(await notes('a/b/a.yaml')).toBe('')
  })

  it('leaves a closed world closed', async () => {
    const cwd = createFolder({ '.gitignore': `${MANY}b\n`, 'a.yaml': WRONG })
    expect((await sluice(['lint', '.', '--closed-world'], { cwd })).stderr).toBe(`note: .gitignore:1: ${REASON}\n`)
  })
})
