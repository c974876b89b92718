/** Delegated access to a server, whose trust follows the ConfigMap in which the API server says whom to trust. */
import type { Access } from '../../http/delegated-access.ts'
import type { Log } from '../../http/log.ts'
import type { JsonObject } from '../../json/member.ts'
import type { Lookup } from '../../world/lookup.ts'
import type { Clock } from '../client/clock.ts'
import type { KubeConfig } from '../client/library.ts'
import { watchConfigMap } from '../watch/watch-config-map.ts'
import { AUTHENTICATION_CONFIG, NOBODY_TRUSTED, readAuthenticationConfig } from './authentication-config.ts'
import { createDelegatedAccess } from './delegated-access.ts'
import { createReviews } from './reviews.ts'

/** What decides about requests. */
export type Delegation = {
  readonly access: Access
  /** Why it is not known yet, or any longer, whom to trust; undefined where it is known. */
  problem(): string | undefined
  stop(): void
}

export type DelegationOptions = {
  readonly kubeconfig: KubeConfig
  readonly clock: Clock
  readonly log: Log
  /**
   * Called with the authorities (PEM) of the aggregator whenever they are others: the server must ask clients for
   * certificates of these and of no others. Undefined where there is no aggregator.
   */
  trusting(authorities: string | undefined): void
}

/** Starts to watch. Until the ConfigMap is there, only tokens are known. */
export function createDelegation({ kubeconfig, clock, log, trusting }: DelegationOptions): Delegation {
  const access = createDelegatedAccess({ reviews: createReviews(kubeconfig, clock.now), now: clock.now })
  let applied: Lookup<JsonObject> | undefined
  let authorities: string | undefined
  const changed = () => {
    const read = watch.object()
    if (read.state === 'unknown' || read === applied) return
    applied = read
    try {
      const config = read.state === 'found' ? readAuthenticationConfig(read.value) : NOBODY_TRUSTED
      access.trust(config)
      const next = config.requestHeader?.authorities
      if (next !== authorities) trusting(next)
      authorities = next
    } catch (error) {
      const { namespace, name } = AUTHENTICATION_CONFIG
      log.error({ error }, `ConfigMap ${namespace}/${name} cannot be read: whom to trust stays as it was`)
    }
  }
  const watch = watchConfigMap(kubeconfig, { only: AUTHENTICATION_CONFIG, clock, changed })
  return {
    access,
    problem: () => (watch.state() === 'synced' ? undefined : (watch.problem() ?? 'not read yet')),
    stop: watch.stop,
  }
}
