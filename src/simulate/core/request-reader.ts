/** From rows of a log, or of a traffic shape, to the locations and keys of requests. */
import type { ValueMatch } from '../../gateway/routing/matches.ts'
import { createRouter, type RoutedRequest } from '../../gateway/routing/router.ts'
import type { VariablePlatform } from '../../nginx/variables.ts'
import { toBytes } from '../../traffic/escaping.ts'
import type { LogRow } from '../../traffic/line-reader.ts'
import { hostOf, parseRequestLine } from '../../traffic/request-line.ts'
import type { Getter, VariableGetters } from '../../traffic/variables.ts'
import { compileKey, type KeyReader } from './keys.ts'
import { BAD_REQUEST, encodeLocations, type LocationRow, type Plan, type Scenario, UNMATCHED } from './plan.ts'

/** Finds the code of a request, see `codeOf`. */
type CodeReader = (row: LogRow) => number

/** Compiles a reader of the locations of requests in all scenarios. */
export function createCodeReader(plan: Plan, variables: VariableGetters): CodeReader {
  const isValid = validity(variables)
  const finders = plan.scenarios.map((scenario) => locationFinder(scenario, variables))
  const badRequest = encodeLocations(
    plan.scenarios.map(() => BAD_REQUEST),
    plan,
  )
  return (row) => {
    if (!isValid(row)) return badRequest
    return encodeLocations(
      finders.map((find) => find(row)),
      plan,
    )
  }
}

/** Checks that nginx does not answer a request with 400 before it looks for a route. */
function validity(variables: VariableGetters): (row: LogRow) => boolean {
  const [line, uri] = [variables('request'), variables('uri')]
  return (row) => uri?.(row) !== '' && (!line || parseRequestLine(line(row)) !== undefined)
}

function locationFinder(scenario: Scenario, variables: VariableGetters): (row: LogRow) => number {
  const { forced } = scenario
  if (forced !== undefined) return () => forced
  const routersOf = portFinder(scenario, variables)
  const request = requestOf(variables, scenario.rows)
  return (row) => {
    request.row = row
    const matched = routersOf(row).flatMap((route) => route(request) ?? [])
    const chosen = matched.find(({ redirects }) => !redirects) ?? matched[0]
    if (!chosen) return UNMATCHED
    const isGuess = matched.some(({ location }) => location !== chosen.location)
    return (isGuess ? chosen.guessed : undefined) ?? chosen.location
  }
}

/** A row as nginx compares it with requests: one character a byte. */
function bytesOf(row: LocationRow): LocationRow {
  const encoded = <Match extends { readonly value: string }>(match: Match) => ({
    ...match,
    value: toBytes(match.value),
  })
  const named = (match: ValueMatch) => ({ ...encoded(match), name: toBytes(match.name) })
  return { ...row, path: encoded(row.path), headers: row.headers.map(named), query: row.query.map(named) }
}

/** The first argument of a name, as the client wrote it: nginx compares arguments without decoding them. */
function argumentOf(args: string, name: string): string | undefined {
  const found = args.split('&').find((argument) => argument.startsWith(`${name}=`))
  return found?.slice(name.length + 1) || undefined
}

/** Finds the match of a request on one port. */
type PortRouter = (request: RoutedRequest) => LocationRow | undefined

/**
 * Finds the ports to which a request may have come, the likeliest first: that of `$server_port` if a listener has it,
 * else those of `$scheme`, else all. Among several a rule that does not redirect counts, on HTTPS before HTTP.
 */
function portFinder({ rows, ports }: Scenario, variables: VariableGetters): (row: LogRow) => readonly PortRouter[] {
  if (ports.length < 2) {
    const only = [portRouter(rows)]
    return () => only
  }
  const all = ports.map((port) => ({ ...port, route: portRouter(rows.filter((row) => row.port === port.port)) }))
  const routers = (chosen: typeof all) => chosen.map(({ route }) => route)
  const [any, https, http] = [
    routers(all),
    routers(all.filter(({ isTls }) => isTls)),
    routers(all.filter(({ isTls }) => !isTls)),
  ]
  const byPort = new Map(all.map(({ port, route }) => [String(port), [route]]))
  const [serverPort, scheme] = ['server_port', 'scheme'].map(variables)
  return (row) => {
    const named = serverPort && byPort.get(serverPort(row))
    if (named) return named
    const value = scheme?.(row).toLowerCase()
    const ofScheme = value === 'https' ? https : value === 'http' ? http : any
    return ofScheme.length > 0 ? ofScheme : any
  }
}

function portRouter(rows: readonly LocationRow[]): PortRouter {
  const encoded = rows.map(bytesOf)
  const known = new Map<unknown, LocationRow>(encoded.map((row) => [row, row]))
  const route = createRouter(encoded)
  return (request) => known.get(route(request))
}

/** A view of the current row as the request that the router matches. */
function requestOf(variables: VariableGetters, rows: readonly LocationRow[]): RoutedRequest & { row: LogRow } {
  const [host, uri, method, args] = ['host', 'uri', 'request_method', 'args'].map(variables)
  // Looked up before the first row is read: only what is known by then is in the rows.
  const headers = new Map<string, Getter | undefined>(
    rows.flatMap((row) => row.headers.map(({ name }) => [toBytes(name), variables(headerVariable(name))])),
  )
  const request = {
    row: [] as LogRow,
    get host() {
      return host ? hostOf(host(request.row)) || undefined : undefined
    },
    get path() {
      return uri?.(request.row) ?? ''
    },
    get method() {
      return method?.(request.row)
    },
    header: (name: string) => headers.get(name)?.(request.row) || undefined,
    argument: (name: string) => argumentOf(args?.(request.row) ?? '', name),
  }
  return request
}

/** The variable of a request header, without `$`: `http_x_tenant` for `X-Tenant`. */
export const headerVariable = (name: string): string => `http_${name.toLowerCase().replaceAll('-', '_')}`

/**
 * The readers of the keys of all expressions, by their number. Throws where the traffic lacks a variable: a plan holds
 * only expressions that its traffic has.
 */
export function createKeyReaders(
  plan: Plan,
  variables: VariableGetters,
  platform: VariablePlatform,
): readonly KeyReader[] {
  return plan.expressions.map((parts) => {
    const key = compileKey(parts, variables, platform)
    if (!key.ok) throw new Error(`the traffic has no value for ${key.unknown.join(', ')}`)
    return key.read
  })
}
