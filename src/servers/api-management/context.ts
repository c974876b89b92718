/** What `systemMetadata.context` says of a policy, beside what the policy is added to: that alone decides. */
import { METADATA } from '../../api-management/fields.ts'
import { readProxy } from '../../api-management/proxy.ts'
import type { JsonObject } from '../../json/member.ts'
import type { Remark } from './judge.ts'
import type { Notes } from './stored-proxy.ts'

const [PROXY, GLOBAL_CONTEXT] = METADATA.context.enum

/** Policies of an environment are global, those of a proxy are not. */
export const GLOBAL = GLOBAL_CONTEXT
export const OF_PROXY = PROXY

type Context = (typeof METADATA.context.enum)[number]

/** What is said of policies whose context is another one than that of what they are added to. */
export function contextRemarks(body: JsonObject, context: Context): Required<Pick<Notes, 'warnings' | 'notes'>> {
  const policies = readProxy(body).sets.flatMap((set) => set.policies)
  const isOther = (written: string | undefined) => written !== undefined && written !== context
  const warnings = policies
    .filter((policy) => isOther(policy.context.value))
    .map(
      ({ context: { pointer } }): Remark => ({
        rule: 'environment',
        pointer,
        message: context === GLOBAL ? IN_ENVIRONMENT : IN_PROXY,
        remedy:
          context === GLOBAL ? 'Write "global", or add it to a proxy.' : 'Write "proxy", or add it to the environment.',
      }),
    )
  const absent = policies.filter((policy) => policy.context.raw === undefined && context === GLOBAL)
  const notes = absent.map(({ context: { pointer } }) => ({
    pointer,
    message: 'context is not set: a policy of an environment is global',
  }))
  return { warnings, notes }
}

const IN_ENVIRONMENT = 'context is "proxy", but this policy applies to all proxies of the environment'
const IN_PROXY = 'context is "global", but this policy applies to this proxy alone'
