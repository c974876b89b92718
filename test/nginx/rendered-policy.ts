/** A policy in the configuration that `sluice render --dir --complete` writes for it, and the output of nginx. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRouteKind, type PolicyView, readPolicy } from '../../src/gateway/objects/policy.ts'
import { policyFiles, type RenderedFile } from '../../src/gateway/render/files.ts'
import { variableNodes } from '../../src/gateway/render/maps.ts'
import type { ZoneNaming } from '../../src/limits/zone.ts'
import { print } from '../../src/nginx/nodes.ts'
import { gateway, route } from '../gateway/objects.ts'
import type { NginxProgram, Verdict } from './real-nginx.ts'
import { checkAllRendered, renderScene } from './rendered.ts'

/** Renders policies, each together with the objects that it targets, whatever their names, and asks `nginx -t`. */
export const checkPolicies = (policies: readonly PolicyView[], program: NginxProgram): readonly Verdict[] =>
  checkAllRendered(
    program,
    policies.map((policy) => {
      const files = withEmptyFiles(named(policy), renderPolicy(named(policy), program))
      // Where the file system refuses a name, nginx says so itself when it includes it.
      return { files: files.filter(({ name }) => Buffer.byteLength(name) <= LONGEST_NAME) }
    }),
  )

/** In bytes, on the file systems of Linux. */
const LONGEST_NAME = 255

/** The product writes and includes the files of a policy that says nothing too, where `render` has no use for them. */
function withEmptyFiles(policy: PolicyView, rendered: readonly RenderedFile[]): readonly RenderedFile[] {
  const conf = rendered.find(({ name }) => name === 'nginx.conf')?.text ?? ''
  const unused = policyFiles(policy, 'indexed').filter(({ name }) => !conf.includes(`include ${name};`))
  const includes = unused.map(({ name }) => `include ${name};`).join(' ')
  return [
    ...rendered.filter(({ name }) => name !== 'nginx.conf' && !unused.some((file) => file.name === name)),
    ...unused,
    { name: 'nginx.conf', text: conf.replace(/^http \{$/m, `http { ${includes}`) },
  ]
}

/** The API server makes up the end of a name that is to be generated. */
function named(policy: PolicyView): PolicyView {
  const { object, identity, metadata } = policy
  if (identity.name !== undefined) return policy
  const name = `${metadata.generateName.value?.slice(0, 58)}abcde`
  return readPolicy({ ...object, metadata: { ...metadata.metadata.value, name } }, identity.namespace)
}

function renderPolicy(policy: PolicyView, { version }: NginxProgram): readonly RenderedFile[] {
  const { namespace } = policy.identity
  const targets = policy.targets.flatMap(({ kind, name }) =>
    kind.value === undefined || name.value === undefined ? [] : [{ kind: kind.value, name: name.value }],
  )
  const edge = targets.find(({ kind }) => kind === 'Gateway')?.name ?? 'edge'
  const rules = [
    { matches: [{ path: { type: 'PathPrefix', value: '/' } }], backendRefs: [{ name: 'coffee', port: 80 }] },
  ]
  const routes = targets.flatMap(({ kind, name }) =>
    isRouteKind(kind)
      ? [
          route(
            name,
            { parentRefs: [{ name: edge }], hostnames: [`${kind}.example`.toLowerCase()], rules },
            kind,
            namespace,
          ),
        ]
      : [],
  )
  const rendered = renderScene(
    { gateway: gateway(edge, undefined, namespace), routes, policies: [policy] },
    { files: true, nginxVersion: version, portOffset: 20_000 },
  )
  if (rendered.problems.length > 0) throw new Error(rendered.problems.join())
  return rendered.files
}

/** What a configuration has to hold of a policy, by context. */
export type WrittenPolicy = { readonly http: string; readonly location: string }

/** Writes the files of a policy on a route into a folder. */
export function writePolicy(
  policy: PolicyView,
  { version }: NginxProgram,
  folder: string,
  naming: ZoneNaming = 'indexed',
): WrittenPolicy {
  const [zones, limits] = policyFiles(policy, naming).map(({ name, text }) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  })
  const maps = variableNodes([policy], { nginxVersion: version, plus: false, defined: new Set() })
  return { http: `${print(maps)}\ninclude ${zones};`, location: `include ${limits};` }
}
