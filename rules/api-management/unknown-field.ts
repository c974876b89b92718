import { rule } from '../../src/api-management/rule.ts'
import { fieldsAt, violations } from '../../src/api-management/shape.ts'
import { toPattern } from '../../src/json/fields.ts'
import { fieldPath, parentPointer, pointerTokens } from '../../src/json/pointer.ts'
import { shorten } from '../describe.ts'
import { body } from './body.ts'

const NO_FIELD = '{parent} has no field "{name}"'

/** A field that the API does not know sets nothing, while its author believes that it does. */
export default rule({
  id: 'api-management/unknown-field',
  severity: 'error',
  judges: 'Proxy',
  summary: 'A rate limit policy has only fields that its specification names.',
  why: 'A field with another name has no effect: the default of the meant field applies instead, so the policy limits less, or more, than its author believes.',
  remedy: 'Remove the field.',
  source: 'specification of the API management rate limit policy, "Resources and their fields"',
  messages: {
    misspelt: { text: NO_FIELD, remedy: 'Write "{meant}".', marks: 'key' },
    misplaced: { text: NO_FIELD, remedy: 'Move it to {home}.', marks: 'key' },
    unknown: { text: NO_FIELD, remedy: 'Remove it; the fields allowed here are {fields}.', marks: 'key' },
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zonesize: 10M }'] }),
    good: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M }'] }),
  }),
  check(proxy, { report }) {
    for (const violation of violations(proxy)) {
      if (violation.problem !== 'unknown') continue
      const { pointer, meant } = violation
      const inside = parentPointer(pointer)
      const isHere = meant !== undefined && toPattern(inside).endsWith(meant.home)
      report(meant === undefined ? 'unknown' : isHere ? 'misspelt' : 'misplaced', pointer, {
        name: shorten(pointerTokens(pointer).at(-1) ?? ''),
        parent: fieldPath(inside),
        fields: fieldsAt(inside).join(', '),
        meant: meant?.field,
        home: meant && homeName(meant.home),
      })
    }
  },
})

/** Where a field belongs, such as `action`, or an item of `limits`. */
function homeName(home: string): string {
  const name = pointerTokens(home).findLast((token) => token !== '*') ?? ''
  return home.endsWith('/*') ? `an item of ${name}` : name
}
