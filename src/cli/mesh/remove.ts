/** `sluice mesh remove`: makes every sidecar transparent, so that the mesh can be deleted, and lists what is still injected. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { counted } from '../../text/plural.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import type { MeshApi } from './api.ts'

/** A workload with the sidecar. */
type Injected = { readonly namespace: string; readonly kind: string; readonly name: string }

/** Runs it. `isAgreed` is true where nobody is asked. Throws {@link InputError}. */
export async function removeMesh(io: Io, api: MeshApi, isAgreed: boolean): Promise<number> {
  const before = readInjected(await api.read('listResources'))
  io.stdout.write(planText(before))
  if (!isAgreed && !agrees(io)) {
    io.stderr.write('nothing was changed\n')
    return EXIT.input
  }
  await api.call('clear', { body: '\n', contentType: 'application/octet-stream' })
  io.stdout.write('\nEvery sidecar passes traffic on as it is, once it has read the new configuration.\n')
  io.stdout.write(leftText(readInjected(await api.read('listResources'))))
  return EXIT.clean
}

const planText = (injected: readonly Injected[]): string =>
  `${counted(injected.length, 'workload')} ${injected.length === 1 ? 'has' : 'have'} the sidecar.
Sidecars become transparent: they pass traffic on as it is, without mTLS, access
control and limits. Manifests and Pods stay as they are.
`

function agrees({ stdin, stderr }: Io): boolean {
  if (!stderr.isTTY) throw new InputError('nothing was changed, as nobody can be asked here: write --yes to agree')
  stderr.write('Go on? [y/N] ')
  const [chunk] = stdin
  return /^y(?:es)?\s*$/i.test(new TextDecoder().decode(chunk))
}

/** What remains, and the commands that take it away. Pods without a controller have to be created anew. */
function leftText(injected: readonly Injected[]): string {
  if (injected.length === 0) return 'No workload has the sidecar: the mesh can be deleted.\n'
  const lines = injected.map(({ namespace, kind, name }) =>
    RESTARTABLE.has(kind)
      ? `  kubectl rollout restart ${kind}/${name} -n ${namespace}`
      : `  # ${kind}/${name} in ${namespace}: create it anew without the sidecar`,
  )
  return `${counted(injected.length, 'workload')} still ${injected.length === 1 ? 'has' : 'have'} the sidecar. With automatic injection off for them, and
manifests without the sidecar, these commands take it away:
${lines.join('\n')}
`
}

const RESTARTABLE: ReadonlySet<string> = new Set(['deployment', 'daemonset', 'statefulset'])

/** Reads `{namespace: {kind: [name]}}`. */
function readInjected(resources: Json): readonly Injected[] {
  return members(resources).flatMap(([namespace, kinds]) =>
    members(kinds).flatMap(([kind, names]) =>
      (Array.isArray(names) ? names : []).map((name: Json) => ({ namespace, kind, name: String(name) })),
    ),
  )
}

const members = (value: Json | undefined): readonly [string, Json | undefined][] =>
  isObject(value) ? Object.entries<JsonObject[string]>(value) : []
