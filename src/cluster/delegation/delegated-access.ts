/**
 * Authentication and authorization that are delegated to the API server: by the headers of the aggregator, by client
 * certificates, and by tokens. Whatever cannot be known now is refused. Source: Kubernetes, "Configure the Aggregation Layer".
 */
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { Access, User } from '../../http/delegated-access.ts'
import type { Log } from '../../http/log.ts'
import type { JsonObject } from '../../json/member.ts'
import type { Lookup } from '../../world/lookup.ts'
import type { Clock } from '../client/clock.ts'
import type { KubeConfig } from '../client/library.ts'
import { watchConfigMap } from '../watch/config-map.ts'
import {
  AUTHENTICATION_CONFIG,
  type AuthenticationConfig,
  NOBODY_TRUSTED,
  readAuthenticationConfig,
} from './authentication-config.ts'
import { type ClientChain, commonNameOf, isIssuedBy, readAuthorities, userOfCertificate } from './client-certificate.ts'
import { bearerToken, userOfHeaders, withAuthenticated } from './request-headers.ts'
import { createReviews, type Reviews } from './reviews.ts'

/** Whom to trust, with what is derived from it. */
type Trust = {
  readonly config: AuthenticationConfig
  readonly aggregators: ReturnType<typeof readAuthorities>
  readonly clients: ReturnType<typeof readAuthorities>
}

/** Access whose trust can change. */
type DelegatedAccess = Access & {
  /** Throws where an authority cannot be read; then the trust stays as it was. */
  trust(config: AuthenticationConfig): void
}

/** What is always allowed: the administrators of the cluster, and probes. */
const ADMINISTRATORS = 'system:masters'
const HEALTH = /^\/(?:healthz|livez|readyz)(?:\/|$)/

/** Trusts nobody yet but who has a token. `now` is in milliseconds since 1970. */
function createDelegatedAccess({ reviews, now }: { readonly reviews: Reviews; now(): number }): DelegatedAccess {
  let trusted: Trust = { config: NOBODY_TRUSTED, aggregators: [], clients: [] }
  return {
    trust(config) {
      const { clientAuthorities, requestHeader } = config
      trusted = {
        config,
        aggregators: requestHeader ? readAuthorities(requestHeader.authorities) : [],
        clients: clientAuthorities === undefined ? [] : readAuthorities(clientAuthorities),
      }
    },
    async authenticate(request) {
      const chain = chainOf(request)
      const user = chain && (aggregatedUser(request, chain, trusted, now()) ?? certifiedUser(chain, trusted, now()))
      if (user) return user
      const token = bearerToken(request.headers)
      if (token === undefined) return 'anonymous'
      return (await reviews.userOfToken(token)) ?? 'rejected'
    },
    async authorize(user, attributes) {
      if (user.groups.includes(ADMINISTRATORS)) return { allowed: true, reason: '' }
      if (!attributes.isResourceRequest && HEALTH.test(attributes.path)) return { allowed: true, reason: '' }
      return await reviews.mayDo(user, attributes)
    },
  }
}

/** The certificates that the client sent in the handshake; undefined where there are none. */
function chainOf({ socket }: IncomingMessage): ClientChain | undefined {
  if (!(socket instanceof TLSSocket)) return undefined
  const leaf = socket.getPeerX509Certificate()
  if (!leaf) return undefined
  const others: (typeof leaf)[] = []
  for (let next = leaf.issuerCertificate; next && others.length < 8; next = next.issuerCertificate) others.push(next)
  return { leaf, others }
}

/**
 * The user in the headers of the aggregator. OpenSSL has verified its certificate against the request-header authorities that
 * the server had when the connection was made; it must be one of those of now, too.
 */
function aggregatedUser(
  { socket, headersDistinct }: IncomingMessage,
  chain: ClientChain,
  { config: { requestHeader }, aggregators }: Trust,
  now: number,
): User | undefined {
  if (!requestHeader || !(socket instanceof TLSSocket && socket.authorized)) return undefined
  if (!isIssuedBy(chain, aggregators, now)) return undefined
  const { allowedNames } = requestHeader
  if (allowedNames.length > 0 && !allowedNames.includes(commonNameOf(chain.leaf) ?? '')) return undefined
  return userOfHeaders(headersDistinct, requestHeader)
}

function certifiedUser(chain: ClientChain, { clients }: Trust, now: number): User | undefined {
  const user = isIssuedBy(chain, clients, now) ? userOfCertificate(chain.leaf) : undefined
  return user && withAuthenticated(user)
}

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
