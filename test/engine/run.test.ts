/** The engine runs rules, gives findings their severities, and enforces the contract of a rule. */
import { describe, expect, it } from 'vitest'
import { describeMessage, type Subject } from '../../src/engine/finding.ts'
import type { AnyRule, RuleContext, Read as RuleRead } from '../../src/engine/rule.ts'
import { createJudge, RuleContractError } from '../../src/engine/run.ts'
import { type PolicyView, readPolicy } from '../../src/gateway/objects/policy.ts'
import type { GatewayRules } from '../../src/gateway/rule.ts'
import { GATEWAY_SYSTEM } from '../../src/gateway/system.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/settings/settings.ts'
import { emptyWorld } from '../../src/world/world.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

type PolicyContext = RuleContext<GatewayRules, PolicyView>
type Read = RuleRead<GatewayRules>

const world = emptyWorld([GATEWAY_SYSTEM])

const policyNamed = (name: string): PolicyView =>
  readPolicy({ kind: 'RateLimitPolicy', metadata: { name }, spec: { targetRefs: [{ kind: 'Gateway', name: 'shop' }] } })
const coffee = policyNamed('coffee')
const tea = policyNamed('tea')

const asSubject = (view: PolicyView): Subject => ({
  kind: 'RateLimitPolicy',
  view,
  object: view.object,
  identity: view.identity,
  world,
})
const text: Subject = {
  kind: 'Document',
  view: { problems: [] },
  object: undefined,
  identity: asSubject(coffee).identity,
  world,
}

type Check = (policy: PolicyView, context: PolicyContext) => void

/** A rule with this check. */
const ruleThat = (check: Check, own: Partial<AnyRule> = {}): AnyRule => ({
  id: 'test/rule',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: 'A rule of the tests.',
  why: 'It shows what the engine does.',
  remedy: 'Do it.',
  source: 'the tests',
  messages: { found: 'found', named: 'found {name}', grave: { text: 'grave', severity: 'error', remedy: 'Run.' } },
  examples: () => ({ bad: '', good: '' }),
  check,
  ...own,
})

const judge = (rules: AnyRule | readonly AnyRule[], settings: Partial<Settings> = {}, subject = asSubject(coffee)) =>
  createJudge({ rules: [rules].flat(), settings: { ...DEFAULT_SETTINGS, ...settings } })(subject)

const saysFound: Check = ({ metadata }, { report }) => report('found', metadata.name)

describe('a finding', () => {
  it('has the rule, the message, its data and a pointer, and neither sentences nor lines', () => {
    const [finding, ...others] = judge(
      ruleThat(({ metadata }, { report }) => report('named', metadata.name, { name: 'x' })),
    )
    expect(others).toEqual([])
    expect(finding).toEqual({
      subject: expect.objectContaining({ view: coffee }),
      rule: 'test/rule',
      message: 'named',
      severity: 'warning',
      data: { name: 'x' },
      pointer: '/metadata/name',
    })
  })

  it('can point to a member that is missing, where its parent is there', () => {
    const [finding] = judge(ruleThat(({ rateLimit }, { report }) => report('found', rateLimit)))
    expect(finding?.pointer).toBe('/spec/rateLimit')
  })

  it('carries the patch of a rule that fixes', () => {
    const patch = [{ op: 'remove', path: '/metadata/name' }] as const
    const check: Check = ({ metadata }, { report }) => report('found', metadata.name, {}, patch)
    expect(judge(ruleThat(check, { fix: 'safe' }))[0]?.patch).toEqual(patch)
  })

  it('about a text has a range', () => {
    const check: Check = (_, { report }) => report('found', { start: 3, end: 5 })
    expect(judge(ruleThat(check, { judges: 'Document' }), {}, text)[0]).toMatchObject(
      cases<object>('about a text has a range'),
    )
  })

  it('is described with the remedy of its message, or else of its rule', () => {
    const some = ruleThat(saysFound)
    expect(describeMessage(some, { message: 'named', data: { name: 'x' } })).toEqual(
      cases('is described with the remedy of its message, or else of its rule'),
    )
    expect(describeMessage(some, { message: 'grave', data: {} })).toEqual({ message: 'grave', help: 'Run.' })
  })
})

describe('a rule that breaks its contract is caught', () => {
  const breaches: readonly (readonly [string, Check, RegExp])[] = [
    ['reports a message that it does not have', (_, { report }) => report('lost', ''), /none of its messages/],
    ['takes a message from the prototype', (_, { report }) => report('toString', ''), /none of its messages/],
    ['points to nothing', (_, { report }) => report('found', '/spec/rateLimit/local'), /where nothing is/],
    ['points beyond the end of a list', (_, { report }) => report('found', '/spec/targetRefs/7/kind'), /nothing is/],
    ['reports on another object', (_, { report }) => report('found', tea.metadata.name), /of another object/],
    ['points into a text', (_, { report }) => report('found', { start: 0, end: 1 }), /judges an object/],
    ['fixes without declaring it', (_, { report }) => report('found', '', {}, []), /without declaring "fix"/],
  ]

  it.each(breaches)('when it %s', (_, check, breach) => {
    expect(() => judge(ruleThat(check))).toThrow(RuleContractError)
    expect(() => judge(ruleThat(check))).toThrow(breach)
  })

  it('when it leaves a placeholder without a value', () => {
    const some = ruleThat(({ metadata }, { report }) => report('named', metadata.name))
    const [finding] = judge(some)
    if (!finding) throw new Error('nothing was found')
    expect(() => describeMessage(some, finding)).toThrow('{name} in "found {name}" has no value')
  })

  it('when it reports, or reads, after its check', () => {
    let kept: PolicyContext | undefined
    const keep: Check = (_, context) => {
      kept = context
    }
    judge(ruleThat(keep, { reads: ['policies'] }))
    expect(() => kept?.report('found', '')).toThrow('after its check')
    expect(() => kept?.policies).toThrow('after its check')
  })

  it('by its name', () => {
    const nameless: Check = (_, { report }) => report('found', '/nowhere/at/all')
    expect(() => judge(ruleThat(nameless, { id: 'test/wrong' }))).toThrow('test/wrong')
  })
})

describe('what a rule reads', () => {
  const reads: readonly (readonly [Read, unknown])[] = [
    ['gateways', world.lookups.gateways],
    ['routes', world.lookups.routes],
    ['policies', world.lookups.policies],
    ['namespaces', world.lookups.namespaces],
    ['variables', world.lookups.variables],
    ['platform', DEFAULT_SETTINGS.platform],
    ['budgets', DEFAULT_SETTINGS.budgets],
    ['composition', DEFAULT_SETTINGS.composition],
    ['conflict', DEFAULT_SETTINGS.conflict],
    ['zoneNaming', DEFAULT_SETTINGS.zoneNaming],
    ['names', apiNames()],
    ['previous', tea],
  ]

  it.each(reads)('%s is there where it is declared, and nowhere else', (read, expected) => {
    let seen: unknown
    const look: Check = (_, context) => {
      seen = context[read]
    }
    judge(ruleThat(look, { reads: [read] }), {}, { ...asSubject(coffee), previous: tea })
    expect(seen).toEqual(expected)
    expect(() => judge(ruleThat(look))).toThrow(`reads "${read}", which it does not declare`)
    const others = reads.map(([name]) => name).filter((name) => name !== read)
    expect(() => judge(ruleThat(look, { reads: others }))).toThrow(RuleContractError)
  })
})

describe('a rule that throws', () => {
  const broken = ruleThat(
    ({ metadata }, { report }) => {
      report('found', metadata.name)
      throw new Error('a fault')
    },
    { id: 'test/broken' },
  )
  const sound = ['test/before', 'test/after'].map((id) => ruleThat(saysFound, { id }))

  it('does not stop the others', () => {
    const faults: unknown[] = []
    const judgeAll = createJudge({
      rules: [...sound.slice(0, 1), broken, ...sound.slice(1)],
      settings: DEFAULT_SETTINGS,
      onFault: (id, error, subject) => faults.push([id, String(error), subject.identity.name]),
    })
    for (const view of [coffee, tea])
      expect(judgeAll(asSubject(view)).map((finding) => finding.rule)).toEqual(
        expect.arrayContaining(['test/before', 'test/after']),
      )
    expect(faults).toEqual(cases('does not stop the others'))
  })

  it('is thrown where there is no listener', () => expect(() => judge([broken])).toThrow('a fault'))

  const rethrow = (_: string, error: unknown) => {
    throw error
  }

  it.each([
    { where: 'there is no listener', listener: {} },
    { where: 'the listener throws it on', listener: { onFault: rethrow } },
  ])('can neither report nor read afterwards where $where', ({ listener }) => {
    let kept: PolicyContext | undefined
    const check: Check = (_, context) => {
      kept = context
      throw new Error('a fault')
    }
    const rules = [ruleThat(check, { reads: ['policies'] })]
    const judgeAll = createJudge({ rules, settings: DEFAULT_SETTINGS, ...listener })
    expect(() => judgeAll(asSubject(coffee))).toThrow('a fault')
    expect(() => kept?.report('found', '')).toThrow('after its check')
    expect(() => kept?.policies).toThrow('after its check')
  })
})

describe('settings', () => {
  const grave: Check = ({ metadata }, { report }) => {
    report('found', metadata.name)
    report('grave', metadata.name)
  }
  const severities = (settings: Partial<Settings>) => judge(ruleThat(grave), settings).map(({ severity }) => severity)

  it('leave the severity of the rule, and of a message that has its own', () =>
    expect(severities({})).toEqual(['warning', 'error']))

  it.each(['error', 'warning', 'info'] as const)('make every finding of a rule an %s', (severity) =>
    expect(severities({ rules: { 'test/rule': severity } })).toEqual([severity, severity]),
  )

  it('switch a rule off, and no other', () => {
    const rules = [ruleThat(saysFound), ruleThat(saysFound, { id: 'test/other' })]
    const found = judge(rules, { rules: { 'test/rule': 'off', 'test/unknown': 'off' } })
    expect(found.map((finding) => finding.rule)).toEqual(['test/other'])
  })

  each<[{ ruleset: undefined | string; since: string | undefined; reports: boolean }]>(
    'with the rule set $ruleset run a rule of $since: $reports',
    ({ ruleset, since, reports }) =>
      expect(judge(ruleThat(saysFound, since === undefined ? {} : { since }), { ruleset }).length > 0).toBe(reports),
  )
})

describe('a judge', () => {
  it('runs only the rules that judge such a subject', () => {
    const ofTexts = ruleThat(saysFound, { id: 'test/text', judges: 'Document' })
    const ofBoth = ruleThat(saysFound, { id: 'test/both', judges: ['RateLimitPolicy', 'UnknownVersion'] })
    const of = (subject: Subject) => judge([ofBoth, ruleThat(saysFound)], {}, subject).map((finding) => finding.rule)
    expect(of(asSubject(coffee))).toEqual(['test/both', 'test/rule'])
    expect(of({ ...asSubject(coffee), kind: 'UnknownVersion' })).toEqual(['test/both'])
    expect(judge(ofTexts)).toEqual([])
  })

  it('returns findings for each subject apart, in the order of the rules', () => {
    const judgeAll = createJudge({
      rules: ['test/b', 'test/a'].map((id) => ruleThat(saysFound, { id })),
      settings: DEFAULT_SETTINGS,
    })
    const first = judgeAll(asSubject(coffee))
    const second = judgeAll(asSubject(tea))
    expect(first.map(({ rule, subject }) => [rule, subject.identity.name])).toEqual(
      cases('returns findings for each subject apart, in the order of the rules'),
    )
    expect(second.map(({ subject }) => subject.identity.name)).toEqual(['tea', 'tea'])
  })
})
