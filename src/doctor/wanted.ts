/** What the doctor reads of a cluster. Secrets are not among it: only the certificate of a server may need one. */
import { leaseName } from '../installation/controller.ts'
import { meshNames } from '../installation/mesh.ts'
import { NAMES } from '../installation/object.ts'
import type { Evidence, Need, ObjectPlace } from './evidence.ts'
import { SERVERS } from './servers.ts'

/** A kind of the API of Kubernetes. */
type ApiKind = { readonly group: string; readonly version: string; readonly plural: string }

const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1' } as const

const KINDS = {
  CustomResourceDefinition: { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
  ValidatingWebhookConfiguration: { ...ADMISSION, plural: 'validatingwebhookconfigurations' },
  MutatingWebhookConfiguration: { ...ADMISSION, plural: 'mutatingwebhookconfigurations' },
  ValidatingAdmissionPolicy: { ...ADMISSION, plural: 'validatingadmissionpolicies' },
  ValidatingAdmissionPolicyBinding: { ...ADMISSION, plural: 'validatingadmissionpolicybindings' },
  APIService: { group: 'apiregistration.k8s.io', version: 'v1', plural: 'apiservices' },
  Deployment: { group: 'apps', version: 'v1', plural: 'deployments' },
  StatefulSet: { group: 'apps', version: 'v1', plural: 'statefulsets' },
  Service: { group: '', version: 'v1', plural: 'services' },
  EndpointSlice: { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' },
  ConfigMap: { group: '', version: 'v1', plural: 'configmaps' },
  Namespace: { group: '', version: 'v1', plural: 'namespaces' },
  Lease: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' },
} as const satisfies Record<string, ApiKind>

/** The kinds that are read. */
type WantedKind = keyof typeof KINDS

/** One object, or those of a kind with labels. */
export type Wanted = { readonly kind: WantedKind; readonly namespace?: string } & (
  | { readonly name: string }
  | { readonly labels: string }
)

type Place = Pick<Evidence, 'names' | 'namespace' | 'project'>

/** The kinds of the Gateway API without which policies have no targets, by their plurals. */
export const TARGET_PLURALS = ['gateways', 'httproutes', 'grpcroutes'] as const

/** The objects that register the webhooks: they name the namespace of the installation. */
export const REGISTRATIONS: readonly Wanted[] = [
  { kind: 'ValidatingWebhookConfiguration', name: NAMES.validating },
  { kind: 'MutatingWebhookConfiguration', name: NAMES.mutating },
  { kind: 'MutatingWebhookConfiguration', name: NAMES.meshInjection },
]

/** Labels of what runs NGINX Gateway Fabric, from its chart and from its manifests. */
const FABRIC = 'app.kubernetes.io/name in (nginx-gateway,nginx-gateway-fabric)'

/** Everything else, in a cluster whose installation is in a namespace. */
export function wantedOf(place: Place): readonly Wanted[] {
  const { names, namespace, project } = place
  const crd = (plural: string, group: string) =>
    ({ kind: 'CustomResourceDefinition', name: `${plural}.${group}` }) as const
  const policies = [NAMES.errorPolicy, NAMES.warningPolicy]
  return [
    crd('ratelimitpolicies', names.policyGroup),
    ...TARGET_PLURALS.map((plural) => crd(plural, names.gatewayGroup)),
    ...policies.map((name) => ({ kind: 'ValidatingAdmissionPolicy', name }) as const),
    ...policies.map((name) => ({ kind: 'ValidatingAdmissionPolicyBinding', name }) as const),
    { kind: 'APIService', name: meshNames(project.settings).apiService },
    ...SERVERS.flatMap((server): readonly Wanted[] => {
      const own = { name: server.name(place), namespace: server.namespace(place) }
      return [
        { kind: server.kind, ...own },
        { kind: 'Service', ...own },
      ]
    }),
    ...[...new Set(SERVERS.map((server) => server.namespace(place)))].map(
      (own): Wanted => ({ kind: 'EndpointSlice', namespace: own, labels: 'kubernetes.io/service-name' }),
    ),
    { kind: 'ConfigMap', name: NAMES.config, namespace },
    { kind: 'Lease', ...leasePlace(place) },
    { kind: 'Namespace', labels: '' },
    { kind: 'Deployment', labels: FABRIC },
  ]
}

/** The Lease of the controller. */
export const leasePlace = ({ names, namespace }: Place) => ({
  name: leaseName(names.controllerName, names.controllerName),
  namespace,
})

/** The path of a request in the API of Kubernetes. */
export function pathOfWanted(wanted: Wanted): string {
  const { group, version, plural } = KINDS[wanted.kind]
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const all = wanted.namespace === undefined ? `${base}/${plural}` : `${base}/namespaces/${wanted.namespace}/${plural}`
  return 'name' in wanted ? `${all}/${wanted.name}` : all
}

/** The right that it takes to read it. */
export function needOfWanted(wanted: Wanted): Need {
  const { group, plural: resource } = KINDS[wanted.kind]
  const where = wanted.namespace === undefined ? {} : { namespace: wanted.namespace }
  return 'name' in wanted
    ? { verb: 'get', group, resource, name: wanted.name, ...where }
    : { verb: 'list', group, resource, ...where }
}

/** How an object is found among what was read. */
export const keyOf = ({ kind, name, namespace = '' }: ObjectPlace): string => `${kind} ${namespace}/${name}`
