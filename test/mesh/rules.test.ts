/** Where the rules of the mesh look: in texts that name its API group, and everywhere where the settings ask for it. */
import { expect, it } from 'vitest'
import { meshConfigMap, meshDeployment, meshRole, READS } from '../../rules/mesh/examples.ts'
import { reviewedObjects, watchedResources } from '../../src/installation/reviewed.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { lint } from '../../src/lint/lint.ts'
import { MENTIONS, mentionsIn, SYSTEMS } from '../../src/registry.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/settings/settings.ts'
import { kindTable } from '../../src/world/kinds.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { type Draft, mutationsOf } from '../rules/policies.ts'
import { holdsFor } from '../support/holds.ts'

const found = (text: string, settings: Partial<Settings> = {}) => {
  const { report, faults } = lint([{ file: 'all.yaml', text }], { settings: { ...DEFAULT_SETTINGS, ...settings } })
  expect(faults).toEqual([])
  return { rules: report.findings.map(({ rule }) => rule), documents: report.summary.documents }
}

const TWICE = ['{ containerPort: 8080 }', '{ containerPort: 8080 }']
/** A Deployment that says nothing of the mesh. */
const plain = meshDeployment({ ports: TWICE }).replace(', injector.nsm.nginx.com/auto-inject: enabled', '')

it('passes over what every cluster has in a text that does not name the group of the mesh', () => {
  expect(plain).not.toMatch(/nsm/)
  expect(MENTIONS.test(plain)).toBe(false)
  expect(found(plain)).toEqual({ rules: [], documents: 0 })
  expect(found(`${plain}---\n${meshRole({ rules: [READS] }).replaceAll('nsm.nginx.com', 'apps')}`).documents).toBe(0)
})

it('judges it in a text that names the group, in whichever document, and everywhere with mesh: true', () => {
  expect(found(`${plain}---\n${meshRole({ rules: [READS] })}`)).toEqual({
    rules: ['mesh/workload-ports'],
    documents: 2,
  })
  expect(mentionsIn(SYSTEMS, { mesh: true }).test(plain)).toBe(true)
  expect(found(plain, { mesh: true }).rules).toEqual(['mesh/workload-ports'])
})

it('finds a role that kubectl would not read only where the text names the group', () => {
  const broken = meshRole({ rules: ['{ apiGroups: [nsm.nginx.com'] })
  expect(found(broken).rules).toEqual(['document/syntax'])
  expect(found(broken.replace('nsm.nginx.com', 'apps')).rules).toEqual([])
})

it('follows the group of another vendor', () => {
  const apiGroups = { vendor: 'acme', platform: 'k8s' }
  const text = meshRole({ rules: ['{ apiGroups: [acme.nsm.com], resources: [config], verbs: [list] }'] })
  expect(mentionsIn(SYSTEMS, { apiGroups }).test(text)).toBe(true)
  expect(found(text, { apiGroups }).rules).toEqual(['mesh/group-spelling'])
  expect(found(text).rules).toEqual([])
})

it('judges what a kustomization builds', () => {
  const files = [
    { file: 'kustomization.yaml', text: 'resources: [role.yaml]\nnamePrefix: eu-\n' },
    {
      file: 'role.yaml',
      text: meshRole({ rules: ['{ apiGroups: [nginx.nsm.com], resources: [config], verbs: [list] }'] }),
    },
  ]
  expect(lint(files).report.findings.map(({ rule, file }) => [rule, file])).toEqual([
    ['mesh/group-spelling', 'role.yaml'],
  ])
})

it('knows the mode of the mesh from its stored configuration, as text or in Base64', () => {
  const map = meshConfigMap({ '/mtls/mode': 'strict' })
  const config = readDocuments(map, { mentions: /(?:)/ })[0]?.value as { data: Record<string, string> }
  const encoded = Buffer.from(config.data['mesh-config.json'] ?? '').toString('base64')
  const binary = `apiVersion: v1
kind: ConfigMap
metadata: { name: mesh-config, namespace: nginx-mesh }
binaryData: { mesh-config.json: ${encoded} }
`
  const pod = meshDeployment({ annotations: ['config.nsm.nginx.com/mtls-mode: permissive'] })
  const rules = { 'mesh/not-enforced': 'off' } as const
  for (const stored of [map, binary])
    expect(found(`${stored}---\n${pod}`, { rules }).rules).toEqual(['mesh/annotation-mtls'])
  expect(found(pod, { rules }).rules).toEqual([])
  const left = pod.replace('auto-inject: enabled', 'auto-inject: disabled')
  expect(found(`${map}---\n${left}`, { rules }).rules).toEqual([])
})

it('lets no webhook review what every cluster has, and nothing watch it', () => {
  const names = JSON.stringify([reviewedObjects(), watchedResources()])
  expect(names).not.toMatch(/deployments|configmaps|roles|apiservices|pods|jobs/)
  const kinds = (mesh: boolean) => kindTable(SYSTEMS, apiNames(), { mesh }).kinds.map(({ kind }) => kind)
  expect(kinds(false)).not.toContain('Deployment')
  expect(kinds(true)).toContain('Deployment')
})

const GOOD = [
  meshRole({ rules: [READS] }),
  meshConfigMap({ '/mtls/mode': 'strict' }),
  meshDeployment({ annotations: ['config.nsm.nginx.com/ignore-incoming-ports: "80,81"'] }),
].map((text) => readDocuments(text, { mentions: /(?:)/ })[0]?.value as Draft)

it.each(GOOD.map((good) => ({ good })))('never throws on what calls itself one of its kinds', ({ good }) => {
  const settings = { ...DEFAULT_SETTINGS, mesh: true, meshMtls: 'strict' } as const
  holdsFor(300)(
    mutationsOf(() => structuredClone(good)),
    (object) => {
      const { faults, report } = lint([{ file: 'all.json', text: JSON.stringify(object) }], { settings })
      expect(faults).toEqual([])
      for (const { message, help } of report.findings)
        expect(`${message} ${help}`).not.toMatch(/undefined|NaN|\[object/)
    },
  )
})
