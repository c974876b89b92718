/** Patches, and what remedies say in quotes, help in any body: the mistakes of the fixtures stand for many others. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyPatch, type PatchOperation } from '../../src/json/patch.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { goodBody } from '../api-management/bodies.ts'
import { runs } from '../runs.ts'
import { casesOf } from '../support/cases.ts'
import { valuesOf } from '../support/values.ts'
import { ask, compare } from './ask.ts'
import { carryOut } from './made.ts'

const { cases } = casesOf(import.meta.url)

/** What is done to one member of a body: a mistake that may be near to a good value. */
const MISTAKE = valuesOf<PatchOperation>({ $any: cases('mistakes') })

const ASKED = {
  name: 'body.json',
  options: { settings: DEFAULT_SETTINGS, closedWorld: false },
  namespace: undefined,
  previous: undefined,
} as const

const CASES = runs(1000)

it('remedies in generated bodies make their finding go, and bring nothing as bad', () => {
  let followed = 0
  fc.assert(
    fc.property(MISTAKE, (operation) => {
      const text = JSON.stringify(applyPatch(goodBody(), [operation])?.value, null, 2)
      const before = ask(text, ASKED)
      for (const named of before.findings)
        for (const { how, text: after } of carryOut(text, before, named)) {
          followed += 1
          const { isGone, worse } = compare(named, before, ask(after, ASKED))
          const { message, help } = named.finding
          expect({ how, worse, isGone }, `${message}: ${help}`).toEqual({ how, worse: [], isGone: true })
        }
    }),
    CASES,
  )
  expect(followed).toBeGreaterThan(CASES.numRuns * 0.3)
})
