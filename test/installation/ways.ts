/** Every way to install sluice, as the tools of users build it: the command, the folders of kustomize, and the chart. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findHelm } from '../../scripts/helm.ts'
import { KUBERNETES_VERSION, programOf } from '../../scripts/kube-apiserver.ts'
import { switchOf } from '../../scripts/manifests/chart.ts'
import { componentNames } from '../../scripts/manifests/parts.ts'
import { type ComponentName, NAMES } from '../../src/installation/object.ts'
import { sluice } from '../cli/run.ts'

const FOLDER = fileURLToPath(new URL('../../webhook-config', import.meta.url))

/** One way, and how it makes a YAML text of all objects. */
export type Way = {
  readonly title: string
  readonly names: readonly ComponentName[]
  /** False where a program that it needs is not installed; under CI it must be. */
  readonly isHere: boolean
  manifests(): Promise<string>
}

const CI = process.env.CI !== undefined
const helm = findHelm()
const kubectl = programOf('kubectl')
const hasKubectl = spawnSync(kubectl, ['version', '--client']).status === 0

function run(program: string, parameters: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, parameters, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')}: ${stderr}`)
  return stdout
}

/** With nothing, with each component alone, and with all of them. */
const CHOICES: readonly (readonly ComponentName[])[] = [[], ...componentNames().map((name) => [name]), componentNames()]

/** All ways. Overlays of kustomize have one component each, so all of them together are for the other two. */
export const WAYS: readonly Way[] = CHOICES.flatMap((names): Way[] => {
  const what = names.join(' ') || 'nothing'
  const [only] = names
  const folder = only === undefined ? 'base' : `overlays/${only}`
  const set = names.flatMap((name) => ['--set', `${switchOf(name)}=true`])
  const chart = ['template', 'any', `${FOLDER}/chart`, '-n', NAMES.namespace, '--kube-version', KUBERNETES_VERSION]
  return [
    {
      title: `sluice manifests with ${what}`,
      names,
      isHere: true,
      manifests: async () => (await sluice(['manifests', ...names.flatMap((name) => ['--overlay', name])])).stdout,
    },
    ...(names.length > 1
      ? []
      : [
          {
            title: `kubectl kustomize ${folder}`,
            names,
            isHere: hasKubectl || CI,
            manifests: async () => run(kubectl, ['kustomize', `${FOLDER}/${folder}`]),
          },
        ]),
    {
      title: `helm template with ${what}`,
      names,
      isHere: helm !== undefined || CI,
      manifests: async () => run(helm ?? 'helm', [...chart, ...set]),
    },
  ]
})
