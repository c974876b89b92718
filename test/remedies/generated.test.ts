/** Patches, and what remedies say in quotes, help in any policy: the mistakes of the fixtures stand for many others. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json } from '../../src/json/member.ts'
import { applyPatch } from '../../src/json/patch.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { valuesOf } from '../support/values.ts'
import { ask, compare } from './ask.ts'
import { carryOut } from './made.ts'

const { cases } = casesOf(import.meta.url)

const limits = valuesOf<Json>({ $list: cases('limit'), minLength: 1, maxLength: 3 })
/** What stands in the place of one member of a policy: a mistake that may be near to a good value. */
const mistake = valuesOf<{ pointer: string; value: Json }>({ $any: cases('mistakes') })

const policies = fc.tuple(limits, mistake).map(([rules, { pointer, value }]): unknown => {
  const policy = {
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'RateLimitPolicy',
    metadata: { name: 'coffee', namespace: 'shop' },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }],
      rateLimit: { local: { rules } },
    },
  }
  // A delay beside noDelay would be a second mistake.
  const other = new Map([
    ['noDelay', 'delay'],
    ['delay', 'noDelay'],
  ]).get(pointer.split('/').at(-1) ?? '')
  const alone = other ? [{ op: 'add', path: `/spec/rateLimit/local/rules/0/${other}`, value: null } as const] : []
  return applyPatch(policy, [...alone, { op: 'add', path: pointer, value }])?.value
})

const ASKED = {
  name: 'policy.json',
  options: { settings: DEFAULT_SETTINGS, closedWorld: false },
  namespace: undefined,
  previous: undefined,
} as const

it('remedies in generated policies make their finding go, and bring nothing as bad', () =>
  holdsFor(600)(policies, (policy) => {
    const text = JSON.stringify(policy, null, 2)
    const before = ask(text, ASKED)
    for (const named of before.findings)
      for (const { how, text: after } of carryOut(text, before, named)) {
        const { isGone, worse } = compare(named, before, ask(after, ASKED))
        expect({ how, worse, isGone }, `${named.finding.message}: ${named.finding.help}`).toEqual({
          how,
          worse: [],
          isGone: true,
        })
      }
  }))
