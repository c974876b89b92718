/** Requests to places and keys: what the rows of a log, or of a shape, mean to the limits. */

import type { RouteRow } from '../../gateway/routing/matches.ts'
import { createRouter, type RoutedRequest } from '../../gateway/routing/router.ts'
import type { VariablePlatform } from '../../nginx/variables.ts'
import type { Row } from '../../traffic/line-reader.ts'
import { parseRequestLine } from '../../traffic/request-line.ts'
import type { Getter, Variables } from '../../traffic/variables.ts'
import { compileKey, type KeyReader } from './keys.ts'
import { codeOf, type Plan, REFUSED, type Scenario, UNMATCHED } from './plan.ts'

/** Finds the code of a request, see `codeOf`. */
export type CodeReader = (row: Row) => number

/** Compiles where the requests of some traffic go in all scenarios. */
export function createCodeReader(plan: Plan, variables: Variables): CodeReader {
  const isRequest = validity(variables)
  const finders = plan.scenarios.map((scenario) => placeFinder(scenario, variables))
  const refused = codeOf(
    plan.scenarios.map(() => REFUSED),
    plan,
  )
  const places = plan.scenarios.map(() => UNMATCHED)
  return (row) => {
    if (!isRequest(row)) return refused
    for (const [index, find] of finders.entries()) places[index] = find(row)
    return codeOf(places, plan)
  }
}

/** What nginx would not have answered with 400 on sight. */
function validity(variables: Variables): (row: Row) => boolean {
  const [line, uri] = [variables('request'), variables('uri')]
  return (row) => (uri ? uri(row) !== '' : true) && (line ? parseRequestLine(line(row)) !== undefined : true)
}

function placeFinder({ rows, forced }: Scenario, variables: Variables): (row: Row) => number {
  if (forced !== undefined) return () => forced
  const places = new Map<RouteRow, number>(rows.map((row) => [row, row.place]))
  const route = createRouter(rows)
  const request = requestOf(variables)
  return (row) => {
    request.row = row
    const met = route(request)
    return met === undefined ? UNMATCHED : (places.get(met) ?? UNMATCHED)
  }
}

/** A request as the router asks for it, over the row at hand. */
function requestOf(variables: Variables): RoutedRequest & { row: Row } {
  const [host, uri, method, args] = ['host', 'uri', 'request_method', 'args'].map(variables)
  const headers = new Map<string, Getter | undefined>()
  const headerGetter = (name: string): Getter | undefined => {
    if (!headers.has(name)) headers.set(name, variables(headerVariable(name)))
    return headers.get(name)
  }
  const request = {
    row: [] as Row,
    get host() {
      return host?.(request.row) || undefined
    },
    get path() {
      return uri?.(request.row) ?? ''
    },
    get method() {
      return method?.(request.row)
    },
    header: (name: string) => headerGetter(name)?.(request.row) || undefined,
    argument: (name: string) => new URLSearchParams(args?.(request.row)).get(name) ?? undefined,
  }
  return request
}

/** `x-tenant` is `$http_x_tenant`. */
export const headerVariable = (name: string): string => `http_${name.toLowerCase().replaceAll('-', '_')}`

/**
 * The readers of the keys of all expressions, by their number. A plan holds only expressions that its traffic tells:
 * throws where one is not.
 */
export function createKeyReaders(plan: Plan, variables: Variables, platform: VariablePlatform): readonly KeyReader[] {
  return plan.expressions.map((parts) => {
    const key = compileKey(parts, variables, platform)
    if (!key.ok) throw new Error(`the traffic does not tell ${key.unknown.join(', ')}`)
    return key.read
  })
}
