/** kube-score has no objection to an installation, whichever way it is made, but for what is named here with its reason. */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { findKubeScore } from '../../scripts/kube-score.ts'
import { NAMES } from '../../src/installation/object.ts'
import { sluice } from '../cli/run.ts'
import { WAYS } from '../installation/ways.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

const kubeScore = findKubeScore()
if (kubeScore === undefined) console.log('no kube-score: the manifests are not held against it')

/** Checks that are not meant for sluice. */
const IGNORED = cases<Readonly<Record<string, string>>>('IGNORED')

/** Those of one replica, where nothing can be spread or disrupted. */
const IGNORED_SINGLE = cases<Readonly<Record<string, string>>>('IGNORED_SINGLE')

/** Checks that kube-score leaves out unless they are asked for. */
const OPTIONAL = ['container-seccomp-profile', 'container-ports-check']

/** The objections of kube-score, one a line. */
function objections(
  manifests: string,
  ignored: readonly string[],
  service = NAMES.admission as string,
): readonly string[] {
  const flags = [
    ...ignored.flatMap((check) => ['--ignore-test', check]),
    ...OPTIONAL.flatMap((check) => ['--enable-optional-test', check]),
    // Every write would wait for a throttled webhook.
    '--ignore-container-cpu-limit',
  ]
  const parameters = ['score', ...flags, '--kubernetes-version', 'v1.30', '-o', 'ci', '-']
  const { stdout, stderr } = spawnSync(kubeScore ?? 'kube-score', parameters, { input: manifests, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout).toContain(`[OK] ${service}`)
  return stdout.split('\n').filter((line) => /^\[(?:CRITICAL|WARNING)\]/.test(line))
}

describe.runIf(kubeScore !== undefined || process.env.CI)('kube-score', () => {
  it.each(WAYS.filter(({ isHere }) => isHere))('has nothing to say of $title', async ({ names, manifests }) => {
    const ignored = { ...IGNORED, ...(names.includes('single-node') ? IGNORED_SINGLE : {}) }
    expect(objections(await manifests(), Object.keys(ignored))).toEqual([])
  })

  each<[string, readonly string[]]>('has nothing to say of %s from sluice manifests %j', async (service, argv) => {
    const { stdout } = await sluice(['manifests', ...argv])
    expect(objections(stdout, Object.keys(IGNORED), service)).toEqual([])
  })

  it('says what is missing', async () => {
    const text = (await WAYS[0]?.manifests()) ?? ''
    const worse = text.replaceAll(/readOnlyRootFilesystem: true|kind: NetworkPolicy|type: RuntimeDefault/g, '')
    const said = objections(worse.replace('kind: PodDisruptionBudget', 'kind: Other'), []).join('\n')
    for (const word of ['writable root', 'NetworkPolicy', 'PodDisruptionBudget', 'Seccomp', 'ImagePullPolicy'])
      expect(said).toMatch(new RegExp(word, 'i'))
  })
})
