/** Helm as the tool that writes policies, beside kubectl: upgrades, a denied one, rollbacks, and fields of others. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { findHelm } from '../../../scripts/helm.ts'
import { useCluster, useWebhook } from '../cluster.ts'
import { must, type Said } from '../kubectl.ts'
import { gateway, namespace } from '../resources.ts'
import { ADMIN } from '../users.ts'

const helm = findHelm()
const SPACE = 'released'

/** The rate is written as a person does, and the size of the zone left out: the webhook completes both. */
const TEMPLATE = `
apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata:
  name: {{ .Release.Name }}
spec:
  targetRefs:
    - { group: gateway.networking.k8s.io, kind: Gateway, name: edge }
  rateLimit:
    rejectCode: {{ .Values.code }}
    local:
      rules:
        - { key: {{ .Values.key | quote }}, rate: {{ .Values.rate }} }
`

describe.skipIf(helm === undefined && process.env.CI === undefined)('a release of Helm', () => {
  const cluster = useCluster({
    objects: [namespace(SPACE, { 'sluice.policy/mutate': 'enabled' }), gateway('edge', SPACE)],
  })
  const { kubectl, read } = cluster
  useWebhook(cluster, { failurePolicy: 'Fail' })
  let chart: string

  beforeAll(() => {
    chart = join(cluster.folder, 'chart')
    mkdirSync(join(chart, 'templates'), { recursive: true })
    writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: limits\nversion: 0.1.0\n')
    writeFileSync(join(chart, 'values.yaml'), 'rate: 10R/S\ncode: 429\nkey: $binary_remote_addr\n')
    writeFileSync(join(chart, 'templates', 'policy.yaml'), TEMPLATE)
  })

  const run = (...words: readonly string[]): Promise<Said> =>
    new Promise((resolve) => {
      const folders = ['CACHE', 'CONFIG', 'DATA'].map((kind) => [
        `HELM_${kind}_HOME`,
        join(cluster.folder, 'helm', kind),
      ])
      const env = { PATH: process.env.PATH, HOME: cluster.folder, ...Object.fromEntries(folders) }
      const all = [...words, '--namespace', SPACE, '--kubeconfig', cluster.kubeconfig(ADMIN)]
      const child = execFile(helm ?? 'helm', all, { env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      )
    })
  const install = (name: string, ...values: readonly string[]) =>
    run(
      'upgrade',
      '--install',
      name,
      chart,
      '--disable-openapi-validation',
      ...values.flatMap((value) => ['--set', value]),
    )
  const live = async (name: string) => await read(`ratelimitpolicy ${name} -n ${SPACE}`)

  test('is installed, completed by the webhook, and changes nothing when it is applied again', async () => {
    await must(install('cafe'))
    const first = await live('cafe')
    expect(first.spec.rateLimit.local.rules).toEqual([{ key: '$binary_remote_addr', rate: '10r/s', zoneSize: '10m' }])
    await must(install('cafe'))
    expect((await live('cafe')).metadata.resourceVersion).toBe(first.metadata.resourceVersion)
    await must(run('uninstall', 'cafe'))
  })

  test('that is denied says why and leaves what was there, and the next one and a rollback pass', async () => {
    await must(install('tea'))
    const { spec } = await live('tea')
    const denied = await install('tea', 'rate=0r/s')
    expect(denied.code).toBe(1)
    expect(denied.stderr).toContain('nginx refuses the rate "0r/s"')
    expect((await live('tea')).spec).toEqual(spec)
    await must(install('tea', 'code=503'))
    expect((await live('tea')).spec.rateLimit.rejectCode).toBe(503)
    await must(run('rollback', 'tea', '1'))
    expect((await live('tea')).spec).toEqual(spec)
    await must(run('uninstall', 'tea'))
  })

  test('whose key changes without its zone size is denied, by Helm as by kubectl', async () => {
    await must(install('milk'))
    const denied = await install('milk', 'key=$uri')
    expect([denied.code, denied.stderr]).toEqual([1, expect.stringContaining('nginx will refuse the reload')])
    await must(run('uninstall', 'milk'))
  })

  test('keeps the fields that kubectl applies beside it, upgrade after upgrade', async () => {
    await must(install('juice'))
    const { apiVersion, kind, metadata, spec } = await live('juice')
    const theirs = {
      ...{ apiVersion, kind, metadata: { name: metadata.name, namespace: SPACE } },
      spec: { targetRefs: spec.targetRefs, rateLimit: { logLevel: 'warn' } },
    }
    const apply = () => kubectl('apply --server-side --validate=false --field-manager=platform -f -', [theirs])
    for (const code of [429, 503, 429]) {
      await must(apply())
      await must(install('juice', `code=${code}`))
      expect((await live('juice')).spec.rateLimit).toMatchObject({ logLevel: 'warn', rejectCode: code })
    }
    await must(run('uninstall', 'juice'))
    expect((await kubectl(`get ratelimitpolicy juice -n ${SPACE}`)).code).toBe(1)
  })
})
