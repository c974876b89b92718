/** The APIService that makes the API server pass requests on to the mesh. */
import {
  asBoolean,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  type Member,
  member,
} from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import type { ObjectView } from '../../world/objects.ts'
import { hasMisspelling, isMeshGroup } from './spelling.ts'

/** The only version of the group. */
export const MESH_VERSION = 'v1alpha1'

/** An APIService of the mesh. */
export type APIServiceView = ObjectView & {
  readonly name: Member<string>
  readonly group: Member<string>
  readonly version: Member<string>
  readonly service: Member<JsonObject>
  readonly serviceName: Member<string>
  readonly serviceNamespace: Member<string>
  readonly port: Member<number>
  readonly skipsVerification: Member<boolean>
}

/** Reads an APIService. */
export function readApiService(object: JsonObject): APIServiceView {
  const metadata = readMetadata(object)
  const service = member(object.spec, '/spec', 'service', asObject)
  return {
    object,
    identity: { ...readIdentity('APIService', metadata), namespace: '' },
    name: metadata.name,
    group: member(object.spec, '/spec', 'group', asString),
    version: member(object.spec, '/spec', 'version', asString),
    service,
    serviceName: member(service.value, service.pointer, 'name', asString),
    serviceNamespace: member(service.value, service.pointer, 'namespace', asString),
    port: member(service.value, service.pointer, 'port', asNumber),
    skipsVerification: member(object.spec, '/spec', 'insecureSkipTLSVerify', asBoolean),
  }
}

/** True for the APIService of the mesh, by its group or by its name. */
export function isApiServiceOfMesh(object: JsonObject, names: ApiNames): boolean {
  if (!isObject(object.spec)) return false
  const name = readMetadata(object).name.value ?? ''
  return isMeshGroup(object.spec.group, names) || name.endsWith(`.${names.meshGroup}`) || hasMisspelling(name, names)
}
