/** What docs/ci.md shows runs. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findActionlint } from '../../scripts/actionlint.ts'
import { findHelm } from '../../scripts/helm.ts'
import { hasBuiltPrograms } from '../../scripts/kube-apiserver.ts'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { createRepository } from '../files/repository.ts'
import { readPage } from './page.ts'
import { readAction } from './runner.ts'
import { hasSchemas, objectionsOf } from './schema.ts'
import { ROOT, shell } from './shell.ts'

const page = readPage('docs/ci.md')

const KEYED = policy().replace('$binary_remote_addr', '$binary_remote_addr$host')

/** How the image starts the program, and how these tests do. */
const ENTRYPOINT = ['/usr/local/bin/node', '/app/dist/cli.js']
const start = (command: readonly string[], args: readonly string[], cwd: string) => {
  expect(command).toEqual(ENTRYPOINT)
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'dist/cli.js'), ...args], {
    cwd,
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

it('starts the program as the image does', () => {
  const written = /^ENTRYPOINT (.+)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '[]'
  const words: readonly string[] = JSON.parse(written)
  // How Node keeps its memory matters to the webhook alone.
  expect(words.filter((word) => !word.startsWith('--'))).toEqual(ENTRYPOINT)
})

it('pre-commit names a hook that there is, and describes both', () => {
  const { repos } = page.yaml<{ repos: { hooks: { id: string }[] }[] }>('.pre-commit-config.yaml')
  const hooks = [...readFileSync(join(ROOT, '.pre-commit-hooks.yaml'), 'utf8').matchAll(/^- id: (\S+)$/gm)].map(
    ([, id = '']) => id,
  )
  expect(hooks).toContain(repos[0]?.hooks[0]?.id)
  for (const id of hooks) expect(page.text).toContain(`| \`${id}\` |`)
})

describe('the GitHub Action', () => {
  const action = readAction()
  const rows = [...page.text.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name = '']) => name)

  it('has the inputs and outputs that the page lists', () => {
    expect(rows.filter((name) => !name.startsWith('sluice-'))).toEqual(Object.keys(action.inputs))
    const outputs = Object.keys(action.outputs).map((name) => `\`${name}\``)
    const sentence = /The outputs are ([^.]+)\./.exec(page.text)?.[1]
    expect(sentence?.match(/`[\w-]+`/g)?.sort()).toEqual(outputs.sort())
  })

  it('is used with inputs that it has', () => {
    type Workflow = { jobs: { lint: { steps: { uses: string; with?: Record<string, string> }[] } } }
    const { steps } = page.yaml<Workflow>('.github/workflows/sluice.yml').jobs.lint
    const ours = steps.find(({ uses }) => uses.startsWith('your-org/sluice@'))
    for (const name of Object.keys(ours?.with ?? { none: '' })) expect(Object.keys(action.inputs)).toContain(name)
  })

  const actionlint = findActionlint()
  it.runIf(actionlint !== undefined || process.env.CI)('stands in a workflow that actionlint takes', () => {
    const file = join(createFolder({ 'sluice.yml': page.block('.github/workflows/sluice.yml') }), 'sluice.yml')
    const { stdout, stderr } = spawnSync(actionlint ?? '', ['-no-color', file], { encoding: 'utf8' })
    expect(stdout + stderr).toBe('')
  })
})

describe('GitLab CI', () => {
  type Pipeline = { sluice: { script: string[]; artifacts: { reports: Record<string, string> } } }
  const { script, artifacts } = page.yaml<Pipeline>('.gitlab-ci.yml').sluice
  const run = (cwd: string, env: Readonly<Record<string, string>>) =>
    shell(script.join('\n'), { cwd, env: { GITLAB_CI: 'true', CI_PROJECT_DIR: cwd, ...env } })

  it.runIf(hasSchemas)('is a pipeline by the schema', () => {
    const folder = createFolder({ '.gitlab-ci.yml': page.block('.gitlab-ci.yml') })
    expect(objectionsOf('gitlab-ci', join(folder, '.gitlab-ci.yml'))).toBe('')
  })

  it('writes both reports, with the findings of the change', () => {
    const { folder, commit, write } = createRepository()
    const before = commit({ 'k8s/coffee.yaml': policy() })
    write({ 'k8s/coffee.yaml': KEYED })
    expect(run(folder, { CI_MERGE_REQUEST_DIFF_BASE_SHA: before })).toMatchObject({ status: 1, stderr: '' })
    const { codequality = '', junit = '' } = artifacts.reports
    const [first] = JSON.parse(readFileSync(join(folder, codequality), 'utf8'))
    expect(first).toMatchObject({
      check_name: 'gateway/key-change-without-zone-resize',
      location: { path: 'k8s/coffee.yaml' },
    })
    expect(readFileSync(join(folder, junit), 'utf8')).toContain('gateway/key-change-without-zone-resize')
  })

  it('runs outside of merge requests', () => {
    const { folder, commit } = createRepository()
    commit({ 'k8s/coffee.yaml': KEYED })
    expect(run(folder, {})).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(readFileSync(join(folder, artifacts.reports.codequality ?? ''), 'utf8'))).toEqual([])
  })
})

describe('Tekton', () => {
  type Param = { name: string; default: string[] }
  type Task = { spec: { params: Param[]; steps: { workingDir: string; command: string[]; args: string[] }[] } }
  const { params, steps } = page.yaml<Task>('task.yaml').spec
  const [step] = steps

  const run = (workspace: string, given: Readonly<Record<string, readonly string[]>> = {}) => {
    expect(step?.workingDir).toBe('$(workspaces.source.path)')
    const args = step?.args.flatMap((argument) => {
      const name = /^\$\(params\.(\w+)\[\*\]\)$/.exec(argument)?.[1]
      return name === undefined
        ? [argument]
        : (given[name] ?? params.find((param) => param.name === name)?.default ?? [])
    })
    return start(step?.command ?? [], args ?? [], workspace)
  }

  it('refuses what is wrong, and passes what is right', () => {
    expect(run(createFolder({ 'a.yaml': WRONG }))).toMatchObject({ status: 1 })
    expect(run(createFolder({ 'a.yaml': policy() }))).toMatchObject({ status: 0 })
  })

  it('takes flags and paths', () => {
    const folder = createFolder({ '-a.yaml': policy(), 'b.yaml': WRONG })
    expect(run(folder, { flags: ['--closed-world'], paths: ['-a.yaml'] }).said).toContain('gateway/target-not-found')
  })
})

describe('Argo Workflows', () => {
  type Parameter = { name: string; value?: string }
  type Artifact = { name: string; path: string }
  type Template = {
    inputs: { artifacts: Artifact[] }
    container: { workingDir: string; command: string[]; args: string[] }
    outputs: { artifacts: Artifact[] }
  }
  type Workflow = { spec: { arguments: { parameters: Parameter[] }; templates: Template[] } }
  const { spec } = page.yaml<Workflow>('workflow-template.yaml')

  it('compares what it has checked out with what was before, and writes a report', () => {
    const folder = createFolder({
      'workspace/now/k8s/a.yaml': KEYED,
      'workspace/before/k8s/a.yaml': policy(),
      'tmp/': '',
    })
    const values = new Map(spec.arguments.parameters.map(({ name, value = '' }) => [name, value]))
    const [template] = spec.templates
    const inFolder = (path: string) => path.replace(/(?<=^|=)\/(?=work|tmp)/, `${folder}/`)
    const args = template?.container.args.map((argument) =>
      inFolder(argument.replace(/\{\{workflow\.parameters\.(\w+)\}\}/g, (_, name: string) => values.get(name) ?? '')),
    )
    for (const { path } of template?.inputs.artifacts ?? []) expect(existsSync(inFolder(path))).toBe(true)
    const { status, said } = start(
      template?.container.command ?? [],
      args ?? [],
      inFolder(template?.container.workingDir ?? ''),
    )
    expect(said).toContain('gateway/key-change-without-zone-resize')
    expect(status).toBe(1)
    const report = template?.outputs.artifacts[0]?.path ?? ''
    expect(readFileSync(join(folder, report), 'utf8')).toContain('<testsuites')
  })
})

const CHART = {
  'charts/shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 0.1.0\n',
  'charts/shop/templates/limits.yaml': policy({ namespace: '{{ .Release.Namespace }}' }),
}

describe.runIf((findHelm() !== undefined && hasBuiltPrograms()) || process.env.CI)('rendered manifests', () => {
  it('are judged as streams', () => {
    const overlay = { 'overlays/prod/kustomization.yaml': 'resources: [a.yaml]\n', 'overlays/prod/a.yaml': WRONG }
    const { status, stdout } = shell(page.block('render.sh'), { cwd: createFolder({ ...CHART, ...overlay }) })
    expect(stdout).toMatch(/^no problems[\s\S]*<stdin>[\s\S]*gateway\/rate-syntax/)
    expect(status).toBe(1)
  })

  it('are compared with what was rendered before', () => {
    const { folder, git, commit, write } = createRepository()
    git('update-ref', 'refs/remotes/origin/main', commit(CHART))
    write({
      'charts/shop/templates/limits.yaml': KEYED.replace('namespace: shop', 'namespace: {{ .Release.Namespace }}'),
    })
    const { status, stdout, stderr } = shell(page.block('render-and-compare.sh'), { cwd: folder })
    expect(stdout, stderr).toMatch(/^shop\/templates\/limits\.yaml\n[\s\S]*key-change-without-zone-resize/)
    expect(status).toBe(1)
  })
})

it('a repository with old findings is adopted, and stays quiet about them alone', () => {
  const { folder, git } = createRepository()
  writeFileSync(join(folder, 'before.yaml'), '')
  const cwd = folder
  shell('mkdir k8s', { cwd })
  writeFileSync(join(cwd, 'k8s/old.yaml'), WRONG)
  const adopted = shell(page.block('adopt.sh'), { cwd })
  expect(adopted.status, adopted.stderr).toBe(0)
  expect(git('status', '--porcelain')).toContain('A  sluice.baseline.json')
  writeFileSync(join(cwd, 'k8s/new.yaml'), WRONG.replace('coffee', 'tea'))
  const { status, stdout } = shell('sluice lint k8s --baseline sluice.baseline.json', { cwd })
  expect(stdout).toContain('k8s/new.yaml')
  expect(stdout).not.toContain('k8s/old.yaml')
  expect(status).toBe(1)
})

describe('exit codes, as docs/lint.md has them', () => {
  const codes = readFileSync(join(ROOT, 'docs/lint.md'), 'utf8')
  it.each([
    ['0', { 'a.yaml': policy() }, '.'],
    ['1', { 'a.yaml': WRONG }, '.'],
    ['2', { 'a.yaml': WRONG }, 'gone .'],
  ])('%s', (code, files, paths) => {
    expect(codes).toContain(`| ${code} | `)
    expect(shell(`sluice lint ${paths}`, { cwd: createFolder(files) }).status).toBe(Number(code))
  })
})
