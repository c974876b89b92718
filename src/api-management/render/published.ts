/** API proxies to publish, and the nginx that is to run them. */
import type { JsonObject } from '../../json/member.ts'

/** A stored proxy. */
export type PublishedProxy = {
  /** Unique among all proxies and stable: `[A-Za-z0-9_-]+`, made by the store, never of a text of users. */
  readonly id: string
  readonly workspace: string
  /** The name of its environment. */
  readonly environment: string
  /** Grows with each stored change of this proxy. */
  readonly revision: number
  /** The stored form: `proxyConfig.policies`, with defaults. */
  readonly body: JsonObject
}

/** An environment, and what applies to all of its proxies. */
export type PublishedEnvironment = {
  readonly name: string
  /** Policies with `context: global`: `rate-limit`, `request-correlation-id`. */
  readonly policies: JsonObject
}

/** Everything that one nginx is to run. */
export type Published = {
  readonly proxies: readonly PublishedProxy[]
  readonly environments: readonly PublishedEnvironment[]
  /** Hostnames that have no proxy and are 404 all the same: no wildcard of others gets their requests. */
  readonly reserved?: readonly string[]
}

/** The nginx that runs proxies, and what is in front of it. Paths are absolute, or relative to nginx's prefix. */
export type Site = {
  /** `1.22.1`: directives differ by version. */
  readonly nginxVersion: string
  /** The address to listen on; empty for all. IPv6 in brackets. */
  readonly address: string
  readonly port: number
  /**
   * A port for HTTP/2 alone. Before 1.25.1 a port without TLS has only one of HTTP/1 and HTTP/2, and gRPC needs HTTP/2.
   * Other ports have both.
   */
  readonly grpcPort?: number
  readonly tls?: {
    readonly certificate: string
    readonly key: string
    /** Certificates of authorities: a client with a certificate of one of them is a consumer. */
    readonly clientCa?: string
  }
  /** The log with a line for each request: the id of its proxy, and what the limits did. Default: none is written. */
  readonly requestsLog?: string
  /** A program on this machine that authenticates clients and passes requests on. */
  readonly hop?: {
    /** The socket on which nginx listens for it. Who can connect to it can claim to be any consumer. */
    readonly socket: string
    /** The header in which it names the consumer, such as `x-consumer-id`. It counts only on this socket. */
    readonly consumerHeader: string
    /** The header in which it gives the address of the client, such as `x-real-ip`. */
    readonly addressHeader: string
  }
}

/** A file of a configuration. */
export type RenderedFile = {
  /** Relative to `nginx.conf`, with forward slashes. */
  readonly name: string
  readonly text: string
  /** The proxy, by its id, or the environment, by {@link environmentPart}, that all of its text comes from. */
  readonly part?: string
}

/** The part of an environment; no id of a proxy looks like it. */
export const environmentPart = (name: string): string => `environment/${name}`

/** The part with the hostnames that are reserved. */
export const RESERVED_PART = 'hostnames/reserved'
