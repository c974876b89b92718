/** A system that exists in the tests alone: kettles that name cups. It shows what registering a system takes. */
import { type AnyRule, ruleOf } from '../../src/engine/rule.ts'
import { GATEWAY_SYSTEM } from '../../src/gateway/system.ts'
import { asList, asNumber, asObject, asString, type JsonObject, type Member, member } from '../../src/json/member.ts'
import { readIdentity, readMetadata } from '../../src/kubernetes/metadata.ts'
import { REGISTRY, type Registry } from '../../src/registry.ts'
import { ABSENT, type Lookup } from '../../src/world/lookup.ts'
import type { ObjectView } from '../../src/world/objects.ts'
import type { LookupSpec, Lookups, System } from '../../src/world/system.ts'

export const GROUP = 'tea.example.com'

type KettleView = ObjectView & {
  /** Litres. */
  readonly water: Member<number>
  readonly cups: readonly Member<string>[]
}

const CUP = {
  kind: 'Cup',
  read: (object: JsonObject, namespace?: string): ObjectView => ({
    object,
    identity: readIdentity('Cup', readMetadata(object), namespace),
  }),
} as const

const KETTLE = {
  kind: 'Kettle',
  read(object: JsonObject, namespace?: string): KettleView {
    const spec = member(object, '', 'spec', asObject).value
    const cups = member(spec, '/spec', 'cups', asList).value ?? []
    return {
      object,
      identity: readIdentity('Kettle', readMetadata(object), namespace),
      water: member(spec, '/spec', 'water', asNumber),
      cups: cups.map((raw, index) => ({ pointer: `/spec/cups/${index}`, raw, value: asString(raw) })),
    }
  },
} as const

type Cups = { get(namespace: string | undefined, name: string): Lookup<ObjectView> }

const CUPS: LookupSpec<Cups> = {
  kinds: ['Cup'],
  needsClosedWorld: true,
  make: (objects) => ({ get: (namespace, name) => objects.of(CUP).index().get('Cup', namespace, name) }),
}

type TeaLookups = { readonly cups: Cups }

/** Whether a cup of namespace `shop` exists, as far as the world of {@link WITH_TEA} knows. */
export function stateOfCup(lookups: Lookups | undefined, name: string): Lookup<ObjectView>['state'] {
  const cups = lookups?.cups
  if (typeof cups === 'object' && cups !== null && 'get' in cups && cups.get instanceof Function)
    return cups.get('shop', name).state
  throw new Error('the world has no lookup "cups"')
}

const served = (plural: string) => ({ version: 'v1', plural, namespaced: true, optional: true })

const TEA_SYSTEM: System<TeaLookups> = {
  name: 'tea',
  kinds: () => [
    {
      ...KETTLE,
      group: GROUP,
      resource: served('kettles'),
      subjects: ['Kettle'],
      judgedAs: ({ apiVersion }) => (String(apiVersion).startsWith(`${GROUP}/`) ? 'Kettle' : undefined),
    },
    { ...CUP, group: GROUP, resource: served('cups'), observed: true },
  ],
  lookups: { cups: CUPS },
}

const rule = ruleOf<{ views: { Kettle: KettleView }; lookups: TeaLookups }>()

const EXAMPLES = { bad: '', good: '' }
const MOST_LITRES = 2

const tooMuchWater = rule({
  id: 'tea/too-much-water',
  severity: 'error',
  judges: 'Kettle',
  fix: 'safe',
  summary: 'A kettle holds at most two litres.',
  why: 'More boils over.',
  remedy: 'Take less water.',
  source: 'the kettle',
  messages: { much: { text: '{water} litres boil over', remedy: 'Write 2.' } },
  examples: () => EXAMPLES,
  check({ water }, { report }) {
    if (water.value === undefined || water.value <= MOST_LITRES) return
    const patch = [{ op: 'replace', path: water.pointer, value: MOST_LITRES }] as const
    report('much', water, { water: water.value }, patch)
  },
})

const cupNotFound = rule({
  id: 'tea/cup-not-found',
  severity: 'warning',
  judges: 'Kettle',
  reads: ['cups'],
  summary: 'The cups of a kettle exist.',
  why: 'Tea without a cup is spilled.',
  remedy: 'Create the cup.',
  source: 'the kettle',
  messages: { missing: 'there is no cup "{name}"' },
  examples: () => EXAMPLES,
  check({ identity: { namespace }, cups: named }, { cups, report }) {
    for (const cup of named)
      if (cup.value !== undefined && cups.get(namespace, cup.value).state === ABSENT.state)
        report('missing', cup, { name: cup.value })
  },
})

/** What stands in the registry, and the tea beside it. */
export const WITH_TEA: Registry = {
  systems: [GATEWAY_SYSTEM, TEA_SYSTEM],
  rules: [...REGISTRY.rules, tooMuchWater, cupNotFound] satisfies readonly AnyRule[],
}

/** A kettle in namespace `shop`. */
export const kettle = (spec: JsonObject, name = 'whistle') => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Kettle',
  metadata: { name, namespace: 'shop' },
  spec,
})

/** A cup in namespace `shop`. */
export const cup = (name: string) => ({ apiVersion: `${GROUP}/v1`, kind: 'Cup', metadata: { name, namespace: 'shop' } })
