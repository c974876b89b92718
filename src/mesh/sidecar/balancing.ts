/** Load balancing methods of the mesh in the open source nginx. Source: nginx, ngx_http_upstream_module. */

/** What an upstream has: a directive, none for the round robin of nginx; and whether that is another method. */
export type Balancing = { readonly directive: string | undefined; readonly isReplaced: boolean }

/** `least_time` is part of NGINX Plus; `least_conn` comes closest, as slow servers keep their connections for longer. */
export function balancingOf(method: string): Balancing {
  const [kind, count, inner = ''] = method.split(' ')
  const isReplaced = method.includes('least_time')
  if (kind === 'round_robin') return { directive: undefined, isReplaced }
  if (kind !== 'random') return { directive: 'least_conn', isReplaced }
  if (count === undefined) return { directive: 'random', isReplaced }
  return { directive: inner === '' ? 'random two' : 'random two least_conn', isReplaced }
}
