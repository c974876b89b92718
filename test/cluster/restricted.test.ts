/** A real API server takes the Pods of every way of installation into a namespace of the security level `restricted`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NAMES } from '../../src/installation/object.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { objectsIn } from '../installation/expected.ts'
import { WAYS } from '../installation/ways.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { createKubectl, type Kubectl, must } from './kubectl.ts'
import { namespace } from './resources.ts'
import { ADMIN } from './users.ts'

const LEVEL = 'pod-security.kubernetes.io/enforce'

let plane: ControlPlane
let kubectl: Kubectl

beforeAll(async () => {
  plane = await startControlPlane()
  kubectl = createKubectl(plane.kubeconfig(ADMIN))
  await must(kubectl('apply -f -', [namespace(NAMES.namespace, { [LEVEL]: 'restricted' })]))
})
afterAll(() => plane.stop())

/** The Pod that the Deployment of a YAML text would create. */
function podOf(manifests: string): JsonObject {
  const { spec } = objectOf(objectsIn(manifests)[`Deployment ${NAMES.admission}`])
  const metadata = { name: 'one', namespace: NAMES.namespace }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: objectOf(objectOf(spec).template).spec }
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

const create = (pod: JsonObject) => kubectl('create --dry-run=server -f -', [pod])

describe('the security level restricted', () => {
  it.each(WAYS.filter(({ isHere }) => isHere))('takes $title', async ({ manifests }) => {
    expect(await create(podOf(await manifests()))).toMatchObject({ code: 0, stderr: '' })
  })

  it.each(['runAsNonRoot', 'seccompProfile'])('refuses a Pod without %s', async (member) => {
    const pod = podOf((await WAYS[0]?.manifests()) ?? '')
    const spec = objectOf(pod.spec)
    const { [member]: removed, ...securityContext } = objectOf(spec.securityContext)
    expect(removed).toBeDefined()
    const { stderr } = await create({ ...pod, spec: { ...spec, securityContext } })
    expect(stderr).toMatch(new RegExp(`violates PodSecurity "restricted.*${member}`))
  })

  it('is that of the namespace that is installed; Helm creates one without it', async () => {
    for (const { title, manifests } of WAYS.filter(({ isHere }) => isHere)) {
      const { metadata } = objectOf(objectsIn(await manifests())[`Namespace ${NAMES.namespace}`])
      const level = objectOf(objectOf(metadata).labels)[LEVEL]
      expect({ title, level }).toEqual({ title, level: title.startsWith('helm') ? undefined : 'restricted' })
    }
  })
})
