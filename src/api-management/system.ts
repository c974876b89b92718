/** The system of the API management rate limit policy: bodies of API proxies in files. Source: specification of that policy. */
import type { Kind, System } from '../world/system.ts'
import { readProxy } from './proxy.ts'
import { isProxyBody, SHAPE } from './recognise.ts'
import { fieldsAt } from './shape.ts'

const PROXY: Kind = {
  kind: 'Proxy',
  group: '',
  shape: SHAPE,
  subjects: ['Proxy'],
  judgedAs: (object) => (isProxyBody(object) ? 'Proxy' : undefined),
  read: readProxy,
  fieldsAt,
}

/** Registers the system. No API server has its objects, and no body refers to another one. */
export const API_MANAGEMENT_SYSTEM: System = {
  name: 'api-management',
  kinds: () => [PROXY],
  lookups: {},
}
