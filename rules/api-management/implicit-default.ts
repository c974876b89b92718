import { codeOf } from '../../src/api-management/applied.ts'
import { DEFAULTS, type PolicyView } from '../../src/api-management/proxy.ts'
import { rule } from '../../src/api-management/rule.ts'
import { mayBeMisspelt } from '../../src/api-management/shape.ts'
import { isObject } from '../../src/json/member.ts'
import { body } from './body.ts'

/** What applies can be read in the body. */
export default rule({
  id: 'api-management/implicit-default',
  severity: 'info',
  judges: 'Proxy',
  fix: 'safe',
  summary: 'A policy writes its returnCode, and a limit its rate, rateLimitBy and zoneSize.',
  why: 'Where one of them is absent, the API stores its default. Nobody who reads the body sees what applies.',
  remedy: 'Add the default, which changes nothing.',
  source: 'specification of the API management rate limit policy, "Resources and their fields"',
  messages: {
    implicit: {
      text: '{field} is not set: the default {preset} applies',
      remedy: 'Add "{field}: {preset}", which changes nothing.',
    },
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip }'] }),
    good: body({}),
  }),
  check(proxy, { report }) {
    for (const { policies } of proxy.sets) {
      // A default that another policy contradicts is a mistake of its own.
      const hasOneCode = policies.every((policy) => codeOf(policy) === DEFAULTS.returnCode)
      for (const policy of policies)
        for (const { field, at } of absentFields(policy, hasOneCode)) {
          if (mayBeMisspelt(proxy, at.pointer)) continue
          const preset = DEFAULTS[field]
          report('implicit', at, { field, preset }, [{ op: 'add', path: at.pointer, value: preset }])
        }
    }
  },
})

function absentFields({ action, returnCode, limits }: PolicyView, hasOneCode: boolean) {
  const ofAction = action.value && hasOneCode ? [{ field: 'returnCode' as const, at: returnCode }] : []
  const ofLimits = limits
    .filter(({ raw }) => isObject(raw))
    .flatMap((limit) => (['rate', 'rateLimitBy', 'zoneSize'] as const).map((field) => ({ field, at: limit[field] })))
  return [...ofAction, ...ofLimits].filter(({ at }) => at.raw === undefined)
}
