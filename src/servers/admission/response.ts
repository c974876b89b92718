/** Responses that carry a patch, and responses as JSON. Source: Kubernetes, "Dynamic Admission Control", response. */
import { type AdmissionResponse, annotations, shortened, warningsMember } from '../../admission/response.ts'
import type { Review } from '../../admission/review.ts'
import type { PatchOperation } from '../../engine/rule.ts'
import type { PodInjection } from './inject-pod.ts'
import type { Patching } from './mutate.ts'

/** The response in its review, as JSON. */
export const reviewText = (response: AdmissionResponse): string => `${REVIEW_START}${JSON.stringify(response)}}`

const REVIEW_START = '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":'

/** The response that carries the patch. */
export function patchResponse({ uid }: Review, { patch, rules }: Patching): AdmissionResponse {
  if (patch.length === 0) return { uid, allowed: true }
  return {
    uid,
    allowed: true,
    ...patchMembers(patch),
    ...annotations({ patched: rules }),
  }
}

/** The response that adds the sidecar of the mesh, or warns that it does not. */
export function injectionResponse({ uid }: Review, { patch, problems }: PodInjection): AdmissionResponse {
  if (patch.length > 0) return { uid, allowed: true, ...patchMembers(patch) }
  return { uid, allowed: true, ...warningsMember(problems.map((one) => shortened(`no sidecar: ${one}`))) }
}

const patchMembers = (patch: readonly PatchOperation[]): Pick<AdmissionResponse, 'patchType' | 'patch'> => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
})
