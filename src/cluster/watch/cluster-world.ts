/** What the watches hold, as a world. Only what changed is indexed again, and only when somebody asks. */
import { type GatewayView, type RouteView, readGateway, readRoute } from '../../gateway/objects/gateways-and-routes.ts'
import { readGatewayClass, readProxy } from '../../gateway/objects/proxy.ts'
import type { World } from '../../world/world.ts'
import { createPolicies } from './policies.ts'
import { oncePerObject, type Stock, shown, worldOf } from './snapshot.ts'

/** What a cluster holds, by kind. */
export type Stocks = (kind: string) => Stock

/** Makes worlds of successive states of a cluster: a part of which nothing changed stays the very same. */
export function createWorldMaker(): (stocks: Stocks) => World {
  const gateways = onChange(['Gateway', 'NginxProxy', 'GatewayClass'], gatewaysOf)
  const http = onChange(['HTTPRoute'], (httpRoutes) => routesOf('HTTPRoute', httpRoutes))
  const grpc = onChange(['GRPCRoute'], (grpcRoutes) => routesOf('GRPCRoute', grpcRoutes))
  const attached = onChange(['HTTPRoute', 'GRPCRoute'], attachedOf)
  const policies = onChange(['RateLimitPolicy'], createPolicies())
  const namespaces = onChange(['Namespace'], ({ objects, known }) => worldOf({ namespaces: objects }, known))
  const variables = onChange(['SnippetsFilter'], ({ objects }) => worldOf({ snippets: objects }, false))
  return (stocks) => {
    const byKind = { HTTPRoute: http(stocks).routes, GRPCRoute: grpc(stocks).routes }
    return {
      gateways: gateways(stocks),
      routes: {
        get: (kind, namespace, name) => byKind[kind].get(kind, namespace, name),
        namespacesOf: (kind, name) => byKind[kind].namespacesOf(kind, name),
        namesIn: (kind, namespace) => byKind[kind].namesIn(kind, namespace),
        isEmpty: byKind.HTTPRoute.isEmpty && byKind.GRPCRoute.isEmpty,
        attachedTo: attached(stocks).routes.attachedTo,
      },
      policies: policies(stocks),
      namespaces: namespaces(stocks).namespaces,
      variables: variables(stocks).variables,
    }
  }
}

/** Makes something of some kinds' stocks, again only when one of them is another. */
function onChange<Made>(kinds: readonly string[], make: (...stocks: [Stock, Stock, Stock]) => Made) {
  let last: { readonly stocks: readonly Stock[]; readonly made: Made } | undefined
  return (stockOf: Stocks): Made => {
    const stocks = kinds.map(stockOf)
    if (!last || stocks.some((stock, index) => stock !== last?.stocks[index])) {
      const [first = NOTHING, second = NOTHING, third = NOTHING] = stocks
      last = { stocks, made: make(first, second, third) }
    }
    return last.made
  }
}

const NOTHING: Stock = { objects: [], known: false }

const gatewayView = oncePerObject((object): GatewayView => readGateway(object))
const routeViews = {
  HTTPRoute: oncePerObject((object): RouteView => readRoute('HTTPRoute', object)),
  GRPCRoute: oncePerObject((object): RouteView => readRoute('GRPCRoute', object)),
}

/** Gateways are answered for where they are known; the settings of their proxies, where those are known as well. */
function gatewaysOf(gateways: Stock, proxies: Stock, classes: Stock): World['gateways'] {
  const views = shown(gateways).map(gatewayView)
  const closed = worldOf({ gateways: views }, gateways.known).gateways
  const settings = worldOf(
    {
      gateways: views,
      proxies: shown(proxies).map((object) => readProxy(object)),
      gatewayClasses: shown(classes).map(readGatewayClass),
    },
    proxies.known && classes.known,
  ).gateways
  return { ...closed, proxyOf: settings.proxyOf }
}

const routesOf = (kind: 'HTTPRoute' | 'GRPCRoute', stock: Stock): World =>
  worldOf({ routes: shown(stock).map(routeViews[kind]) }, stock.known)

const attachedOf = (http: Stock, grpc: Stock): World =>
  worldOf(
    { routes: [...shown(http).map(routeViews.HTTPRoute), ...shown(grpc).map(routeViews.GRPCRoute)] },
    http.known && grpc.known,
  )
