/** The API of the mesh in a cluster, asked as the user of a kubeconfig. */
import { reasonOf } from '../../cluster/client/failure.ts'
import type { KubeConfig } from '../../cluster/client/library.ts'
import { isObject, type Json } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { ALL_OPERATIONS, API_VERSION, basePath, type Operation } from '../../servers/mesh/operations.ts'
import { warningsIn } from '../../servers/mesh/warnings.ts'
import { InputError } from '../core/io.ts'

/** What is sent. */
type Sent = {
  readonly body: string
  readonly contentType: string
  readonly query?: Readonly<Record<string, string>>
}

/** What the API refuses by itself, with one description of each mistake. */
export class MeshRefusal extends Error {
  readonly descriptions: readonly string[]

  constructor(message: string, descriptions: readonly string[]) {
    super(message)
    this.name = 'MeshRefusal'
    this.descriptions = descriptions
  }
}

/** Runs operations. */
export type MeshApi = {
  readonly names: ApiNames
  /**
   * The text of the response. Rejects with {@link MeshRefusal} for a 400 or 409, and with {@link InputError}, which says what to
   * do, for everything else that is no success.
   */
  call(id: Operation['id'], sent?: Sent): Promise<string>
  /** The same for a response of JSON. */
  read(id: Operation['id'], sent?: Sent): Promise<Json>
}

/** Opens it. `onWarnings` gets the warnings of each response. */
export function openMeshApi(
  kubeconfig: KubeConfig,
  names: ApiNames,
  onWarnings: (texts: readonly string[]) => void,
): MeshApi {
  const call: MeshApi['call'] = async (id, sent) => {
    const operation = ALL_OPERATIONS.find((one) => one.id === id)
    if (!operation) throw new Error(`no operation ${id}`)
    const { method, resource, gives } = operation
    const { requestApi } = await import('../../cluster/client/api.ts')
    const response = await requestApi(kubeconfig, {
      method: METHODS[method],
      path: `${basePath(names)}/${resource}`,
      accept: gives,
      ...sent,
    }).catch((error: unknown) => {
      throw new InputError(`the cluster cannot be asked: ${reasonOf(error)}`)
    })
    onWarnings(warningsIn(response.headers.warning ?? ''))
    if (response.status < 300) return response.text
    throw failure(response, operation, names)
  }
  return {
    names,
    call,
    async read(id, sent) {
      const text = await call(id, sent)
      try {
        return JSON.parse(text)
      } catch {
        throw new InputError(`the API of the mesh sends no JSON: ${text.slice(0, LONGEST_EXCERPT)}`)
      }
    },
  }
}

const METHODS = { get: 'GET', patch: 'PATCH', post: 'POST' } as const

const LONGEST_EXCERPT = 200

type Refused = { readonly status: number; readonly text: string }

function failure({ status, text }: Refused, operation: Operation, names: ApiNames): Error {
  const { message, descriptions } = readError(text)
  if (status === 400 || status === 409) return new MeshRefusal(message, descriptions)
  const advice = ADVICE[status]?.(operation, names)
  return new InputError(`${message}${advice === undefined ? '' : `; ${advice}`}`)
}

/** What a person can do, by the status of the response. */
const ADVICE: Readonly<Record<number, (operation: Operation, names: ApiNames) => string>> = {
  401: () => 'the API server does not know your credentials: is the right context chosen?',
  403: ({ id }, { meshName }) =>
    `the ClusterRole ${meshName}-api-${roleFor(id)} allows it: bind it to your user or group`,
  404: (_, names) =>
    `is the API of the mesh installed? ${apiService(names)} says so; "sluice manifests mesh" prints what installs it`,
  503: (_, names) => `the server of the mesh does not answer: ${apiService(names)} says why`,
}

const apiService = ({ meshGroup }: ApiNames): string => `"kubectl get apiservice ${API_VERSION}.${meshGroup}"`

/** The smallest of the roles that the installation has. */
function roleFor(id: Operation['id']): string {
  if (id === 'readConfig' || id === 'listServices') return 'reader'
  return id === 'patchConfig' || id === 'inject' ? 'admin' : 'operator'
}

/** Reads a `Status`, or an error of the mesh's own form. Source: OpenAPI document of NGINX Service Mesh 1.7. */
function readError(text: string): { readonly message: string; readonly descriptions: readonly string[] } {
  const body = parsed(text)
  const { message, details } = isObject(body) ? body : {}
  const list = Array.isArray(details) ? details : []
  return {
    message: typeof message === 'string' && message !== '' ? message : text.trim().slice(0, LONGEST_EXCERPT),
    descriptions: list.flatMap((detail: Json) =>
      isObject(detail) && typeof detail.description === 'string' ? [detail.description] : [],
    ),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
