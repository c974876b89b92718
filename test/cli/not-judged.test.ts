/** What a run did not judge, and says so: in notes, in the JSON and in SARIF. */
import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv'
import { describe, expect, it } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { sluice } from './run.ts'

const ajv = new Ajv.default({ strict: true, strictTypes: false, strictRequired: false, allErrors: true })
const validate = ajv.compile(
  JSON.parse(readFileSync(new URL('../../schemas/lint.schema.json', import.meta.url), 'utf8')),
)

type Files = Parameters<typeof createFolder>[0]

async function json(cwd: string, ...flags: readonly string[]) {
  const { code, stdout, stderr } = await sluice(['lint', '--format', 'json', ...flags], { cwd })
  const report = JSON.parse(stdout)
  validate(report)
  expect(validate.errors ?? []).toEqual([])
  return { code, stderr, ...report }
}

/** `a.yaml: the reason`, and the same from the notes of the text report. */
async function notJudged(files: Files, ...flags: readonly string[]): Promise<readonly string[]> {
  const cwd = createFolder(files)
  const report = await json(cwd, ...flags)
  const lines: readonly string[] = report.notJudged.map(
    ({ file, reason }: { file: string; reason: string }) => `${file}: ${reason}`,
  )
  for (const line of lines) expect(report.stderr).toContain(`note: ${line}`)
  expect((await sluice(['lint', '--quiet', ...flags], { cwd })).stderr).toBe('')
  return lines
}

const route = (namespace = '  namespace: shop\n') =>
  `apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata:\n  name: coffee\n${namespace}spec: { parentRefs: [{ name: shop }] }\n`

const TELL_APART = 'if these are several clusters, list the files of each in "worlds" of the settings'
const NAME_ONE = '--namespace sets the namespace of manifests that name none'

describe('what is not judged', () => {
  it('is nothing in an ordinary folder', async () => {
    expect(await notJudged({ 'a.yaml': policy(), 'b.yaml': route(), 'c.yaml': 'kind: ConfigMap\n' })).toEqual([])
  })

  it('is what two files define, said once', async () => {
    const files = { 'prod/a.yaml': `${policy()}---\n${route()}`, 'staging/a.yaml': `${policy()}---\n${route()}` }
    expect(await notJudged(files)).toEqual([
      `prod/a.yaml: RateLimitPolicy shop/coffee is also defined in staging/a.yaml, so its conflicts are not judged: ${TELL_APART}`,
    ])
    const two = {
      'prod/a.yaml': `${policy()}---\n${route()}`,
      'staging/a.yaml': `${policy({ name: 'tea' })}---\n${route()}`,
    }
    const target = `its target HTTPRoute shop/coffee is defined in prod/a.yaml and staging/a.yaml, so what it shares with other policies is not judged: ${TELL_APART}`
    expect(await notJudged(two)).toEqual([`prod/a.yaml: ${target}`, `staging/a.yaml: ${target}`])
    const nowhere = {
      'prod/a.yaml': policy(),
      'staging/a.yaml': policy(),
      'prod/b.yaml': policy({ name: 'tea' }),
      'staging/c.yaml': policy({ name: 'milk' }),
    }
    const shared = `its target HTTPRoute shop/coffee may be another object for each of the policies on it, so what it shares with them is not judged: ${TELL_APART}`
    expect(await notJudged(nowhere)).toEqual([
      `prod/a.yaml: RateLimitPolicy shop/coffee is also defined in staging/a.yaml, so its conflicts are not judged: ${TELL_APART}`,
      `prod/b.yaml: ${shared}`,
      `staging/c.yaml: ${shared}`,
    ])
    const worlds = 'worlds:\n- { name: prod, paths: [prod] }\n- { name: staging, paths: [staging] }\n'
    expect(await notJudged({ ...files, 'sluice.config.yaml': worlds })).toEqual([])
  })

  it('is a target whose namespace is not known, and that of a policy without one', async () => {
    expect(await notJudged({ 'a.yaml': policy({ namespace: '' }), 'b/route.yaml': route() })).toEqual([
      `a.yaml: it names no namespace, and HTTPRoute shop/coffee of b/route.yaml may be in another one, so it is not known whether that is its target: ${NAME_ONE}`,
    ])
    expect(await notJudged({ 'a.yaml': policy(), 'b/route.yaml': route('') })).toEqual([
      `a.yaml: HTTPRoute coffee of b/route.yaml names no namespace, so it is not known whether that is its target: ${NAME_ONE}`,
    ])
    expect(await notJudged({ 'a.yaml': policy(), 'b/route.yaml': route('') }, '-n', 'shop')).toEqual([])
    expect(await notJudged({ 'a.yaml': policy({ namespace: '' }), 'route.yaml': route('') })).toEqual([])
  })

  it('is a patch that matches nothing', async () => {
    const files = {
      'kustomization.yaml': 'resources: [a.yaml]\npatches: [{ path: patch.yaml }]\n',
      'a.yaml': policy(),
      'patch.yaml':
        'apiVersion: gateway.nginx.org/v1alpha1\nkind: RateLimitPolicy\nmetadata: { name: tea }\nspec: { rateLimit: { dryRun: true } }\n',
    }
    expect(await notJudged(files)).toEqual([
      expect.stringMatching(/^patch\.yaml: no object matches the patch of RateLimitPolicy tea/),
    ])
  })

  it('is what a kustomization that cannot be read builds', async () => {
    const deep = `resources: [a.yaml]\nx: ${'['.repeat(101)}${']'.repeat(101)}\n`
    expect(await notJudged({ 'kustomization.yaml': deep, 'a.yaml': policy() })).toEqual([
      'kustomization.yaml: cannot be read: nested deeper than 100 levels, so the patches that it lists are judged like whole manifests',
    ])
    expect(await notJudged({ 'kustomization.yaml': '- a.yaml\n', 'a.yaml': policy() })).toEqual([
      'kustomization.yaml: cannot be read: not a mapping, so the patches that it lists are judged like whole manifests',
    ])
    expect(await notJudged({ 'kustomization.yaml': 'resources: [a.yaml\n', 'a.yaml': policy() })).toEqual([
      'kustomization.yaml: cannot be read: a bracket is never closed, so the patches that it lists are judged like whole manifests',
    ])
  })

  it('is a value that a kustomization leaves to be filled in, said at the object', async () => {
    const patch = '[{"op": "replace", "path": "/spec/rateLimit/local/rules/0/rate", "value": "$(RATE)"}]'
    const kustomization = `resources: [a.yaml]\npatches:\n- target: { kind: RateLimitPolicy }\n  patch: '${patch}'\n`
    expect(await notJudged({ 'kustomization.yaml': kustomization, 'a.yaml': policy() })).toEqual([
      'a.yaml: values such as $(RATE) are filled in later: findings about them are left out',
    ])
  })

  it('is a chart', async () => {
    const report = await json(createFolder({ 'c/Chart.yaml': '', 'c/templates/p.yaml': policy() }))
    expect(report.notJudged).toEqual([
      { file: 'c/templates', reason: 'templates of a Helm chart: helm template c | sluice lint -' },
    ])
  })

  it('is a link that leads nowhere and a pipe, found in a folder; named they are errors', async () => {
    const cwd = createFolder({ 'a.yaml': policy() })
    symlinkSync('gone', join(cwd, 'broken.yaml'))
    execFileSync('mkfifo', [join(cwd, 'pipe.yaml')])
    const found = await json(cwd)
    expect([found.code, found.notJudged.map(({ file }: { file: string }) => file)]).toEqual([
      0,
      ['broken.yaml', 'pipe.yaml'],
    ])
    expect(found.stderr).toContain('note: broken.yaml: a symbolic link that leads nowhere\n')
    const named = await json(cwd, 'broken.yaml', 'pipe.yaml')
    expect([named.code, named.notJudged]).toEqual([2, found.notJudged])
    expect(named.stderr).toContain('sluice: broken.yaml: a symbolic link that leads nowhere\n')
    expect((await json(cwd, '--closed-world')).stderr).toContain('so --closed-world is ignored')
  })

  it('is a pattern that matches nothing, which is an error', async () => {
    const { code, notJudged: all } = await json(createFolder({ 'a.yaml': policy() }), 'a.yaml', 'b/*.yaml')
    expect([code, all]).toEqual([2, [{ file: 'b/*.yaml', reason: 'no file to check matches this pattern' }]])
  })

  it('is a broken file that names no kind, if it is named itself', async () => {
    const files = { 'a.yaml': 'a: [\n', 'b.yaml': 'a: b\n', 'c.json': '{"a":', 'd.txt': 'a: [' }
    expect(await notJudged(files)).toEqual([])
    expect(await notJudged(files, 'a.yaml', 'b.yaml', 'c.json', 'd.txt')).toEqual([
      'a.yaml: cannot be read as YAML: a bracket is never closed (line 1)',
      expect.stringMatching(/^c\.json: cannot be read as YAML: expected a value, found the end of the document/),
    ])
  })

  it('has no more than a few lines for one reason', async () => {
    const template = policy().replace('10r/s', '{{ rate }}')
    const cwd = createFolder(Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`${index}.yaml`, template])))
    const { stderr, notJudged: all } = await json(cwd)
    expect(all).toHaveLength(6)
    expect(stderr.match(/^note: \d\.yaml/gm)).toHaveLength(3)
    expect(stderr).toContain('note: the same is true of 3 more files\n')
  })

  it('stands in SARIF', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    symlinkSync('gone', join(cwd, 'found.yaml'))
    const { stdout } = await sluice(['lint', '--format', 'sarif', '.', 'missing.yaml'], { cwd })
    expect(JSON.parse(stdout).runs[0].invocations).toEqual([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [
          {
            level: 'note',
            message: { text: 'found.yaml: a symbolic link that leads nowhere.' },
            locations: [{ physicalLocation: { artifactLocation: { uri: 'found.yaml', uriBaseId: '%SRCROOT%' } } }],
          },
          {
            level: 'error',
            message: { text: 'missing.yaml: no such file or folder.' },
            locations: [{ physicalLocation: { artifactLocation: { uri: 'missing.yaml', uriBaseId: '%SRCROOT%' } } }],
          },
        ],
      },
    ])
  })
})

describe('a template outside of a chart', () => {
  const FLOW = policy().replace('spec:', 'status: { ancestors: [] }\nspec:')
  const templates: Readonly<Record<string, string>> = {
    '{{ }}': policy().replace('10r/s', '{{ .Values.rate }}'),
    '{% %}': policy().replace('      rules:', '{% for limit in limits %}\n      rules:'),
    '#@ (ytt)': `#@ load("@ytt:data", "data")\n${policy().replace('10r/s', '#@ data.values.rate')}`,
    '#{ }#': policy().replace('10r/s', '#{RATE}#'),
  }

  it.each([
    ...Object.entries(templates),
    // What begins with a brace is JSON to kubectl, unless it is a template.
    ['{{ }}', `{{- if .Values.limits }}\n${FLOW}{{- end }}\n`],
    ['{% %}', `{% if limits %}\n${FLOW}{% endif %}\n`],
    ['{{ }}', `{{ range .Values.limits }}\n---\n${FLOW}{{ end }}\n`],
  ])('is noted, not a syntax error: %s', async (mark, text) => {
    expect(await notJudged({ 'a.yaml': text })).toEqual([
      `a.yaml: a template (${mark}), so it is not judged: lint what is rendered of it`,
    ])
    expect(await json(createFolder({ 'a.yaml': text }))).toMatchObject({ code: 0, findings: [] })
  })

  it.each(['$(RATE)', '__RATE__', '"#{RATE}#"', '"{{ rate }}"', '<path:secret/data/shop#rate>', '${RATE}'])(
    'may be readable: only what is filled in later is not judged: %s',
    async (placeholder) => {
      const text = policy().replace('10r/s', placeholder).replace('burst: 20', 'burst: -1')
      const { findings, notJudged: all } = await json(createFolder({ 'a.yaml': text }))
      expect(findings.map(({ rule }: { rule: string }) => rule)).toEqual(['gateway/burst-range'])
      const shown = placeholder.replaceAll('"', '')
      expect(all).toEqual([
        { file: 'a.yaml', reason: `values such as ${shown} are filled in later: findings about them are left out` },
      ])
    },
  )

  it('leaves names open: what is missing may be what it makes', async () => {
    const files = { 'a.yaml': policy(), 'b.yaml': route().replace('name: coffee', 'name: $(APP)') }
    expect((await json(createFolder(files), '--closed-world')).findings).toEqual([])
    const shared = [policy({ namespace: '__NS__' }), route('  namespace: shop\n')].join('---\n')
    expect((await json(createFolder({ 'a.yaml': shared }), '--closed-world')).findings).toEqual([])
  })

  it('is not taken for one because of its comments, and a mistake stays a mistake', async () => {
    const broken = `# {{ see the chart }}\n${policy().replace('metadata:', 'metadata: [')}`
    const { findings } = await json(createFolder({ 'a.yaml': broken }))
    expect(findings.map(({ rule }: { rule: string }) => rule)).toEqual(['document/syntax'])
  })
})

describe('--require-policies', () => {
  const MESSAGE = 'sluice: no RateLimitPolicy was judged, and --require-policies asks for one\n'

  it.each([
    ['an empty folder', {}],
    ['other objects', { 'a.yaml': route() }],
    ['templates', { 'a.yaml': policy().replace('10r/s', '{{ rate }}') }],
    ['a version that is not known', { 'a.yaml': policy().replace('v1alpha1', 'v9') }],
  ])('fails for %s', async (_, files: Files) => {
    const cwd = createFolder(files)
    const { code, stderr } = await sluice(['lint', '--require-policies'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain(MESSAGE)
    expect((await sluice(['lint'], { cwd })).code).toBe(0)
  })

  it('changes nothing where one was judged', async () => {
    expect((await sluice(['lint', '--require-policies'], { cwd: createFolder({ 'a.yaml': policy() }) })).code).toBe(0)
    const { code, stderr } = await sluice(['lint', '--require-policies'], { cwd: createFolder({ 'a.yaml': WRONG }) })
    expect([code, stderr]).toEqual([1, ''])
  })

  it('fails for an empty standard input, which is said', async () => {
    const { code, stderr } = await sluice(['lint', '-', '--require-policies'], { stdin: '\n' })
    expect([code, stderr]).toEqual([2, `note: <stdin>: the standard input is empty\n${MESSAGE}`])
  })
})
