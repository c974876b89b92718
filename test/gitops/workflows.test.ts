/** The workflows of this repository, and what they hold fast to. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findActionlint } from '../../scripts/actionlint.ts'
import { hasSchemas, objectionsOf } from './schema.ts'
import { ROOT } from './shell.ts'

const FOLDER = join(ROOT, '.github/workflows')
const NAMES = readdirSync(FOLDER)

const actionlint = findActionlint()
if (actionlint === undefined) console.log('no actionlint: the workflows are not held against it')

describe('the workflows', () => {
  it.runIf(actionlint !== undefined || process.env.CI)(
    'are what actionlint takes, inputs and outputs of our action included',
    () => {
      const { stdout, stderr } = spawnSync(actionlint ?? '', ['-no-color'], { cwd: ROOT, encoding: 'utf8' })
      expect(stdout + stderr).toBe('')
    },
  )

  it.runIf(hasSchemas).each(NAMES)('%s is a workflow by the schema', (name) =>
    expect(objectionsOf('github-workflows', join(FOLDER, name))).toBe(''),
  )

  it.each(NAMES)('%s names other actions by commit and has no right that it does not name', (name) => {
    const text = readFileSync(join(FOLDER, name), 'utf8')
    const used = [...text.matchAll(/uses: (\S+)(.*)/g)].map(([, action = '', comment = '']) => ({ action, comment }))
    expect(used.length).toBeGreaterThan(0)
    for (const { action, comment } of used.filter((one) => one.action !== './')) {
      expect(action).toMatch(/@[0-9a-f]{40}$/)
      expect(comment).toMatch(/^ # v\d+\.\d+\.\d+$/)
    }
    expect(text).toContain('\npermissions: {}\n')
  })

  it.runIf(hasSchemas)('have what they pin kept up to date by Dependabot', () => {
    const file = join(ROOT, '.github/dependabot.yml')
    expect(objectionsOf('dependabot', file)).toBe('')
    const ecosystems = [...readFileSync(file, 'utf8').matchAll(/package-ecosystem: (\S+)/g)].map(([, name]) => name)
    expect(ecosystems).toEqual(expect.arrayContaining(['npm', 'github-actions', 'docker']))
  })

  it('sign what they release, and say where it was built', () => {
    const release = readFileSync(join(FOLDER, 'release.yml'), 'utf8')
    const {
      package: packed,
      npm,
      image,
    } = Object.fromEntries(release.split(/\n(?= {2}\w+:\n)/).map((job) => [/^ {2}(\w+):/.exec(job)?.[1] ?? '', job]))
    for (const job of [packed, npm, image]) expect(job).toMatch(/^ {6}id-token: write/m)
    for (const job of [packed, image]) expect(job).toContain('uses: actions/attest-build-provenance@')
    expect(npm).toContain('npm publish --provenance')
    expect(packed).toContain('npm run sbom -- package')
    expect(image).toMatch(/cosign sign --yes "\$IMAGE@\$DIGEST"\n +cosign attest --yes --type cyclonedx/)
    expect(release).not.toMatch(/secrets\./)
  })

  it('are those that docs/supply-chain.md has signatures verified for', () => {
    const page = readFileSync(join(ROOT, 'docs/supply-chain.md'), 'utf8')
    const named = [...page.matchAll(/\.github\/workflows\/([\w-]+\.yml)/g)].map(([, name]) => name)
    expect(new Set(named)).toEqual(new Set(['release.yml']))
    expect(page).toContain('@refs/heads/main')
    expect(readFileSync(join(FOLDER, 'ci.yml'), 'utf8')).toContain('branches: [main]')
  })

  it('run what everybody runs', () =>
    expect(readFileSync(join(FOLDER, 'ci.yml'), 'utf8')).toContain('- run: .ci/run\n'))
})
