/** `sluice serve`: each server with its help. A server is loaded when it runs. */
import { type Command, command, commandGroup } from '../core/command.ts'
import { type Io, requireNode } from '../core/io.ts'
import { ADMISSION_FLAGS, API_MANAGEMENT_FLAGS, CONTROLLER_FLAGS, MESH_FLAGS, STUDIO_FLAGS } from './flags.ts'

const admission = command({
  name: 'serve admission',
  summary: 'apply the rules of lint at kubectl apply, as a webhook',
  usage: '[flags]',
  details: `Serves /validate, /mutate and /observe for AdmissionReviews over TLS. Without
--cert and --key, and outside of a cluster, it creates a certificate for this
run and prints what a webhook configuration needs to trust it. With --workers N,
N processes share the port, each with its own watch of the cluster. With --mesh
it also serves /mutate-mesh-pods, which adds the sidecar of the service mesh to
new Pods, as the ConfigMap mesh-config says.`,
  flags: ADMISSION_FLAGS,
  examples: [
    { line: 'sluice serve admission --standalone --port 0', does: 'try it on a free port' },
    {
      line: 'sluice serve admission --cert tls.crt --key tls.key',
      does: 'with a certificate that is renewed by other means',
    },
    { line: 'sluice serve admission --kubeconfig ~/.kube/config', does: 'for a cluster, from outside of it' },
  ],
  run: async (io, args) => await (await import('./admission.ts')).runAdmission(io, args),
})

const controller = command({
  name: 'serve controller',
  summary: 'write the status of policies, and drive nginx',
  usage: '[flags]',
  details: `Watches the Gateways of the classes of one controller, their routes and
policies, and writes the status of policies and of their targets, as
"sluice status" shows it. Of several replicas one writes. With --nginx-dir it
runs an nginx for each Gateway, which enforces the policies.`,
  flags: CONTROLLER_FLAGS,
  examples: [
    {
      line: 'sluice serve controller --kubeconfig ~/.kube/config',
      does: 'write statuses, from outside of the cluster',
    },
    {
      line: 'sluice serve controller --nginx-dir /tmp/nginx --host 127.0.0.1 --port 8080',
      does: 'and enforce the policies on this machine',
    },
  ],
  run: async (io, args) => await (await import('./controller.ts')).runController(io, args),
})

const apiManagement = command({
  name: 'serve api-management',
  summary: 'manage API proxies by an API and on a page',
  usage: '[flags]',
  details: `Serves the API for API proxies with rate limit policies, over TLS, and at / a
page for people. It keeps everything in one file. With --nginx-dir it runs an
nginx in that folder, which serves the proxies.`,
  flags: API_MANAGEMENT_FLAGS,
  examples: [
    {
      line: 'sluice serve api-management --state proxies.db --port 8443',
      does: 'manage API proxies; proxies.db is created',
    },
    {
      line: 'sluice serve api-management --nginx-dir nginx --nginx-port 8080',
      does: 'and serve them by an nginx',
    },
  ],
  run: async (io, args) => await (await import('./api-management.ts')).runApiManagement(io, args),
})

const mesh = command({
  name: 'serve mesh',
  summary: 'manage a service mesh by an API (beta)',
  usage: '[flags]',
  details: `Serves the API over TLS, behind the aggregation layer of a cluster, which
decides who may do what. With --standalone it uses no cluster: it keeps the
configuration in one file, and clients send the token that it prints. The API is
beta: it may change.`,
  flags: MESH_FLAGS,
  examples: [
    {
      line: 'sluice serve mesh --standalone --port 8443',
      does: 'try the API of the mesh; mesh-config.json is created',
    },
    { line: 'sluice serve mesh --kubeconfig ~/.kube/config', does: 'for a cluster, from outside of it' },
  ],
  run: async (io, args) => await (await import('./mesh.ts')).runMesh(io, args),
})

const studio = command({
  name: 'serve studio',
  summary: 'edit and simulate manifests on a page',
  usage: '[flags]',
  details: `Serves a page on this machine: manifests in an editor, with findings, the nginx
configuration and the traffic that limits let through, as one types.`,
  flags: STUDIO_FLAGS,
  examples: [
    { line: 'sluice serve studio', does: 'open the page: the first line of its log has the address' },
    { line: 'sluice serve studio --port 0', does: 'on a free port' },
  ],
  run: async (io, args) => await (await import('./studio.ts')).runStudio(io, args),
})

const group = commandGroup({
  name: 'serve',
  summary: 'run the admission webhook, the controller or a management API',
  kind: 'server',
  question: 'what to serve?',
  parts: [admission, controller, apiManagement, mesh, studio],
  examples: [
    { line: 'sluice serve studio', does: 'open the page on this machine' },
    { line: 'sluice serve admission --standalone --port 0', does: 'try the webhook on a free port' },
  ],
})

/** The command. It needs Node 22.19, as the Kubernetes client does. */
export const serveCommand: Command = {
  ...group,
  run(io: Io, argv) {
    requireNode('22.19', io)
    return group.run(io, argv)
  },
}
