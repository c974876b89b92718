/** Patches of the configuration as an object: what is accepted has no fault, and what a refusal says to patch first helps. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { HttpError } from '../../../src/http/http-error.ts'
import type { Json, JsonObject } from '../../../src/json/member.ts'
import { apiNames } from '../../../src/kubernetes/api-groups.ts'
import { configFaults, initialConfig } from '../../../src/mesh/config.ts'
import { patchObject } from '../../../src/servers/mesh/patch-object.ts'
import { holds } from '../../support/holds.ts'

const names = apiNames()
const merged = (config: JsonObject, body: Json): JsonObject =>
  patchObject(config, { type: 'application/merge-patch+json', body }, { names, validation: 'Warn' }).config

const namespaces = fc.subarray(['a', 'b', 'c'])
const patch = fc.record(
  {
    injection: fc.record(
      { isAutoInjectEnabled: fc.boolean(), enabledNamespaces: namespaces, disabledNamespaces: namespaces },
      { requiredKeys: [] },
    ),
    mtls: fc.record({ svidTTL: fc.constantFrom('1h', '48h', '800h'), caTTL: fc.constantFrom('24h', '720h') }),
    tracing: fc.constantFrom(null, { isEnabled: true, backend: 'zipkin', backendAddress: 'zipkin:9411' }),
    telemetry: fc.constantFrom(null, { exporters: { otlp: { host: 'otel' } } }),
    clientMaxBodySize: fc.constantFrom(null, '1m', '9g'),
  },
  { requiredKeys: [] },
)

/** Patches first what a refusal says, until it says nothing more or the patch is accepted. */
function follow(config: JsonObject, body: Json, steps = 4): JsonObject {
  try {
    return merged(config, body)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    expect(error.status).toBe(422)
    const [, first] =
      error.options.details?.causes
        ?.map(({ message = '' }) => /; first patch (.*)$/.exec(message))
        .find((one) => one) ?? []
    if (first === undefined) return config
    expect(steps, error.message).toBeGreaterThan(0)
    return follow(merged(config, JSON.parse(first)), body, steps - 1)
  }
}

it('a patch is accepted without a fault, or refused with a remedy that is accepted and leads on', () =>
  holds(fc.array(patch, { maxLength: 4 }), (patches) => {
    const config = patches.reduce<JsonObject>(
      (now, one) => follow(now, JSON.parse(JSON.stringify(one))),
      initialConfig(names),
    )
    expect(configFaults(config, names)).toEqual([])
  }))
