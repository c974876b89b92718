/** A policy in the configuration that `sluice render --dir --complete` writes for it, and the output of nginx. */
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRouteKind, type PolicyView, readPolicy } from '../../src/gateway/objects/policy.ts'
import { policyFiles, type RenderedFile } from '../../src/gateway/render/files.ts'
import { variableNodes } from '../../src/gateway/render/maps.ts'
import type { ZoneNaming } from '../../src/limits/zone.ts'
import { print } from '../../src/nginx/nodes.ts'
import { gateway, route } from '../gateway/objects.ts'
import type { NginxProgram, Verdict } from './real-nginx.ts'
import { renderScene } from './rendered.ts'

/** Renders a policy together with the objects that it targets, whatever their names, and asks `nginx -t`. */
export function checkPolicy(policy: PolicyView, program: NginxProgram, folder: string): Verdict {
  const files = withEmptyFiles(named(policy), renderPolicy(named(policy), program))
  const written = files.flatMap(({ name, text }) => write(join(folder, name), text))
  const conf = join(folder, 'nginx.conf')
  const test = ['-t', '-p', folder, '-c', conf, '-e', 'stderr']
  const { status, stderr } = spawnSync(program.path, test, { encoding: 'utf8' })
  for (const file of written) rmSync(file)
  return { accepted: status === 0, output: stderr }
}

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

/** Writes a file; where the file system refuses its name, nginx will say so itself when it includes it. */
function write(path: string, text: string): readonly string[] {
  try {
    writeFileSync(path, text)
    return [path]
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENAMETOOLONG') return []
    throw error
  }
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
  const [zones, limits] = policyFiles(policy, naming).map(({ name, text }) => write(join(folder, name), text))
  const maps = variableNodes([policy], { nginxVersion: version, plus: false, defined: new Set() })
  return { http: `${print(maps)}\ninclude ${zones};`, location: `include ${limits};` }
}
