import type { Member } from '../../src/json/member.ts'
import { isPort } from '../../src/mesh/config-fields.ts'
import { type APIServiceView, MESH_VERSION } from '../../src/mesh/objects/api-service.ts'
import { hasMisspelling } from '../../src/mesh/objects/spelling.ts'
import { rule } from '../../src/mesh/rule.ts'
import { shorten } from '../describe.ts'

const apiService = (spec: string): string => `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1alpha1.nsm.nginx.com }
spec:
  group: nsm.nginx.com
  groupPriorityMinimum: 100
  versionPriority: 100
${spec}`

/** The API server passes requests on only where the APIService names the group, the version and the Service rightly. */
export default rule({
  id: 'mesh/api-service',
  severity: 'error',
  since: '0.2',
  judges: 'APIService',
  reads: ['names'],
  summary: 'The APIService of the mesh names its group, its version and its Service, and verifies the certificate.',
  why: 'Without them the API server answers 404 or 503 for every request. With insecureSkipTLSVerify anyone between it and the mesh reads and changes what they say.',
  remedy: 'Write the group, the version and the Service of the mesh, and a caBundle.',
  source: 'specification of the mesh management API; Kubernetes, APIService',
  messages: {
    name: { text: 'the name of this APIService must be "{meant}", not "{written}"', remedy: 'Write "{meant}".' },
    group: { text: '"{written}" is not the API group of the mesh', remedy: 'Write "{meant}".' },
    version: { text: 'the mesh has no version "{written}"', remedy: 'Write "{meant}".' },
    local: {
      text: 'this APIService names no Service, so the API server looks for the group in itself',
      remedy: 'Add the Service of the mesh: its name and its namespace.',
    },
    service: { text: 'the Service has no {member}', remedy: 'Add the {member} of the Service of the mesh.' },
    port: { text: '{written} is not a port', remedy: 'Write "port: 443".' },
    insecure: {
      text: 'with insecureSkipTLSVerify the API server trusts whoever answers in the place of the mesh',
      remedy: 'Write "insecureSkipTLSVerify: false", and let the caBundle name who signs its certificate.',
    },
  },
  examples: () => ({
    bad: apiService(
      '  version: v1\n  insecureSkipTLSVerify: true\n  service: { name: nginx-mesh-api, namespace: nginx-mesh }\n',
    ),
    good: apiService('  version: v1alpha1\n  service: { name: nginx-mesh-api, namespace: nginx-mesh, port: 443 }\n'),
  }),
  check(view, { names, report }) {
    const { name, group, version, service, port, skipsVerification } = view
    const wanted = `${MESH_VERSION}.${names.meshGroup}`
    // The wrong spelling has a rule of its own.
    const isWrong = ({ value }: Member<string>, right: string) =>
      value !== undefined && value !== right && ![name, group].some(({ value: one = '' }) => hasMisspelling(one, names))
    if (isWrong(name, wanted)) report('name', name, { written: shorten(name.value ?? ''), meant: wanted })
    if (isWrong(group, names.meshGroup))
      report('group', group, { written: shorten(group.value ?? ''), meant: names.meshGroup })
    if (version.value !== undefined && version.value !== MESH_VERSION)
      report('version', version, { written: shorten(version.value), meant: MESH_VERSION })
    if (service.raw === undefined) report('local', '/spec')
    else for (const { member, pointer } of lacking(view)) report('service', pointer, { member })
    if (port.value !== undefined && !isPort(port.value)) report('port', port, { written: port.value })
    if (skipsVerification.value === true) report('insecure', skipsVerification)
  },
})

/** What a Service has to have and does not. */
const lacking = ({ service, serviceName, serviceNamespace }: APIServiceView) =>
  [
    { member: 'name', ...serviceName },
    { member: 'namespace', ...serviceNamespace },
  ].filter(({ raw }) => service.value !== undefined && (raw === undefined || raw === ''))
