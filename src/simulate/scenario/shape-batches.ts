/** From traffic shapes to batches of requests. */
import type { VariablePlatform } from '../../nginx/variables.ts'
import type { LogRow } from '../../traffic/line-reader.ts'
import { clientAddress, generate, type Shape } from '../../traffic/shape.ts'
import { createVariables, type VariableGetters } from '../../traffic/variables.ts'
import { type Batch, createBatchBuilder } from '../core/batch.ts'
import { createRowEncoder } from '../core/encoder.ts'
import { createDictionary } from '../core/keys.ts'
import type { Plan } from '../core/plan.ts'

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

/** Requests in a batch. */
const BATCH = 8192

/** The requests of a shape, many at a time. */
export function* shapeBatches(
  shape: Shape,
  {
    plan,
    platform,
    variables,
  }: { readonly plan: Plan; readonly platform: VariablePlatform; readonly variables: VariableGetters },
): Iterable<Batch> {
  const dictionary = createDictionary(plan)
  const builder = createBatchBuilder()
  const encode = createRowEncoder({ plan, platform, variables }, dictionary, builder)
  const rows: LogRow[] = []
  let count = 0
  let reset = dictionary.begin()
  const finish = (): Batch => builder.finish({ reset, newTexts: dictionary.takeTexts(), lines: 0 })
  for (const { time, client } of generate(shape)) {
    const row = rows[client] ?? [clientAddress(client)]
    rows[client] = row
    encode(time, row)
    count += 1
    if (count % BATCH !== 0) continue
    yield finish()
    reset = dictionary.begin()
  }
  yield finish()
}
