/** From traffic shapes to batches of requests. */
import type { VariablePlatform } from '../../nginx/variables.ts'
import { clientAddress, generate, type Shape } from '../../traffic/shape.ts'
import { createVariables, type VariableGetters } from '../../traffic/variables.ts'
import { type Batch, createBatchBuilder } from '../core/batch.ts'
import { createDictionary, type Dictionary, NO_KEY } from '../core/keys.ts'
import { createExpressionsOf, type Plan } from '../core/plan.ts'
import { createCodeReader, createKeyReaders } from '../core/request-reader.ts'

/** What every request of a shape asks for: `target` is the path with arguments. */
export type ShapedTarget = { readonly method: string; readonly host: string | undefined; readonly target: string }

/**
 * The variables of a shape's requests; rows hold the client's address, which is the value of those in `perClient`, too. `constants` override them. They have no
 * `$scheme`: a request goes to whichever port has its route.
 */
export function shapeVariables(
  { method, host, target }: ShapedTarget,
  constants: ReadonlyMap<string, string>,
  perClient: readonly string[],
): VariableGetters {
  const known: readonly (readonly [string, string])[] = [
    ['request_method', method],
    ['request_uri', target],
    ['server_protocol', 'HTTP/1.1'],
    ...(host === undefined ? [] : ([['http_host', host]] as const)),
  ]
  const columns = { has: (name: string) => name === 'remote_addr' || perClient.includes(name), slot: () => 0 }
  return createVariables(columns, new Map([...known, ...constants]))
}

/** What is read of a shape. */
type ShapeOptions = { readonly plan: Plan; readonly platform: VariablePlatform; readonly variables: VariableGetters }

/** What all requests of a client have in common: the locations, and the numbers of the keys. */
type ClientRequest = { readonly code: number; readonly keys: readonly number[] }

function clientReader(
  { plan, platform, variables }: ShapeOptions,
  dictionary: Dictionary,
): (client: number) => ClientRequest {
  const codeReader = createCodeReader(plan, variables)
  const keyReaders = createKeyReaders(plan, variables, platform)
  const expressionsOf = createExpressionsOf(plan)
  return (client) => {
    const row = [clientAddress(client)]
    const code = codeReader(row)
    const keyOf = (expression: number) => dictionary.number(expression, keyReaders[expression]?.(row) ?? '')
    return { code, keys: expressionsOf(code).map(keyOf) }
  }
}

/** Requests in a batch. */
const BATCH = 8192

/** The requests of a shape, many at a time. */
export function* shapeBatches(shape: Shape, options: ShapeOptions): Iterable<Batch> {
  const dictionary = createDictionary(options.plan)
  const builder = createBatchBuilder()
  const read = clientReader(options, dictionary)
  /** Of each client, until the dictionary starts again. */
  let known: ClientRequest[] = []
  let count = 0
  let reset = dictionary.begin()
  const finish = (): Batch => builder.finish({ reset, newTexts: dictionary.takeTexts(), lines: 0 })
  for (const { time, client } of generate(shape)) {
    const request = known[client] ?? read(client)
    known[client] = request
    builder.add(time, request.code)
    for (let index = 0; index < request.keys.length; index += 1) builder.addKey(request.keys[index] ?? NO_KEY)
    count += 1
    if (count % BATCH !== 0) continue
    yield finish()
    reset = dictionary.begin()
    if (reset) known = []
  }
  yield finish()
}
