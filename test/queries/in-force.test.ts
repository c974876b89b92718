/**
 * One fact, one answer: effective, status, render, simulate, lint, the page and what nginx would run (try, the controller)
 * never contradict each other about a policy on a route behind a Gateway. `SLUICE_WORLDS` is the number of random worlds.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { createJudge } from '../../src/engine/run.ts'
import { hasLearned } from '../../src/fabric/releases.ts'
import { configurationFor } from '../../src/live/configuration.ts'
import { takeWorld } from '../../src/live/world.ts'
import { readingOf } from '../../src/project/source.ts'
import { objectsOf } from '../../src/project/worlds.ts'
import { type EffectiveResult, queryEffective } from '../../src/queries/effective.ts'
import { type QueryWorld, queryWorlds } from '../../src/queries/query-world.ts'
import { queryRender } from '../../src/queries/render.ts'
import { queryStatus } from '../../src/queries/status.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { simulateLogText } from '../../src/simulate/log-text.ts'
import { prepareSimulation } from '../../src/simulate/simulate.ts'
import { stacksOf } from '../../src/studio/playground/layers.ts'
import { ALL_CASES, runs } from '../runs.ts'
import { subjectsIn } from '../subjects.ts'
import { casesOf } from '../support/cases.ts'
import { source } from './manifests.ts'
import { type RandomPlaces, type RandomPolicy, randomPlaces } from './random-worlds.ts'

const { cases } = casesOf(import.meta.url)

const WORLDS = Number(process.env.SLUICE_WORLDS ?? runs(1000).numRuns)
const ROUTES = ['HTTPRoute/shop/coffee', 'HTTPRoute/shop/tea', 'GRPCRoute/shop/chat', 'HTTPRoute/away/tea'] as const
const GATEWAYS = ['shop/edge', 'shop/inner', 'infra/hub'] as const
const LINE = '192.0.2.1 - - [31/Jan/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "-"\n'

const SITE = { address: '', ports: new Map(), addresses: new Map(), certificates: undefined, socketDir: '/run' }
const HOW = { ...SITE, complete: false, files: false, portOffset: 0 }

const full = ({ namespace, name }: { readonly namespace: string; readonly name: string }) => `${namespace}/${name}`
const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort()

/** A configuration without the limits of policies of which a release writes no zones anywhere. */
const withoutZoneless = (text: string, { invalid }: QueryWorld): string =>
  [...invalid].reduce(
    (rest, [{ identity }, { message }]) =>
      / writes no zones /.test(message)
        ? rest.replaceAll(`limit_req zone=${identity.namespace}_rl_${identity.name}_rule0`, '')
        : rest,
    text,
  )

/** The answers of every command about one world. */
function ask({ policies, around, closedWorld, simulated, ...modes }: RandomPlaces) {
  const settings = { ...DEFAULT_SETTINGS, ...modes }
  const sources = [source([...around, ...policies.map(({ object }) => object)])]
  const reading = readingOf(sources)
  const anywhere = { settings, closedWorld, world: undefined, namespace: undefined }
  const [world] = queryWorlds(reading, anywhere)
  const rendered = queryRender(reading, { ...anywhere, gateway: undefined, several: true, how: HOW })
  if (!world || !rendered.ok) throw new Error('there is no world')
  const live = takeWorld(objectsOf(world.objects.collected, { closed: closedWorld }), settings)
  const site = { ...SITE, nginxVersion: '1.29.0' }
  const known = new Map<string, ReturnType<typeof queryEffective>>()
  const judge = createJudge({ rules: RULES, settings })
  return {
    composition: modes.composition,
    knowsSets: hasLearned(modes.fabricVersion, 'listenerSets'),
    /** Each simulation reads the manifests again: of one route in each world, unless there is time. */
    isSimulated: (route: string) => ALL_CASES || route === ROUTES[simulated],
    status: queryStatus(world, { settings, controllerName: undefined, now: '2026-01-31T12:00:00Z' }),
    findings: new Map(
      subjectsIn(reading, { closedWorld, settings }).map((subject) => [
        `${subject.identity.namespace}/${subject.identity.name}`,
        judge(subject),
      ]),
    ),
    /** The policies of which nginx gets files, by Gateway. */
    parts: new Map(
      live.gateways.map((gateway) => {
        const { wanted } = configurationFor(gateway, live, { site, inForce: undefined })
        return [full(gateway), [...wanted.forms.keys()]]
      }),
    ),
    textOf: (gateway: string) =>
      withoutZoneless(
        rendered.value.gateways
          .find((one) => full(one) === gateway)
          ?.files.map(({ text }) => text)
          .join('') ?? '',
        world,
      ),
    effective(target: string): EffectiveResult {
      const result = known.get(target) ?? queryEffective(target, [world], anywhere)
      known.set(target, result)
      if (!result.ok) throw new Error(result.problem)
      return result.value
    },
    simulate(route: string, gateway: string): readonly string[] {
      const query = { ...anywhere, sources: reading, old: undefined, anywhere: false, route, gateway }
      const prepared = prepareSimulation(query, { constants: new Map(), top: 1 })
      const result = prepared.ok ? simulateLogText(prepared.value, { text: LINE }) : prepared
      if (!result.ok) throw new Error(result.problem)
      return sorted(result.value.report.policies.map(full))
    },
  }
}

type Answers = ReturnType<typeof ask>
type Policies = ReadonlyMap<string, RandomPolicy>

/**
 * The policies whose limits the text of a Gateway has for a route: those at http or in its servers, and those in its locations. Those that nginx
 * will refuse are rendered as they are, with a note.
 */
function limitsIn(text: string, route: string, composition: string, policies: Policies): readonly string[] {
  const title = route.replace('/', ' ')
  const [http = '', ...locations] = text.split(/^# ---- (?=locations of )/m)
  const own = locations.find((one) => one.startsWith(`locations of ${title} ----`))
  if (own === undefined) return []
  const named = (from = '') => namedIn(from, policies)
  const inner = [...named(own), ...named(http.split(`${title}, at http`)[1]?.split(/^}/m)[0])]
  return sorted(composition === 'inherit' && inner.length > 0 ? inner : [...named(ofGateway(http)), ...inner])
}

/** What a release writes at http, or in each server, without the inner servers. */
const ofGateway = (text: string): string => text.replace(/^server \{.*?^}/gms, '')

/** The usable policies whose limits a text has. */
function namedIn(text: string, policies: Policies): readonly string[] {
  const usable = new Map([...policies].flatMap(([name, one]) => (isLimiting(one) ? [[zoneOf(one), name]] : [])))
  return sorted([...text.matchAll(/^ *limit_req zone=([^ ;]+)/gm)].flatMap(([, zone = '']) => usable.get(zone) ?? []))
}

const zoneOf = ({ namespace, name }: RandomPolicy): string => `${namespace}_rl_${name}_rule0`

const isLimiting = ({ judge }: RandomPolicy) => judge === 'nobody' || judge === 'drops'

/** Compares what is said about one route; gives the policies in force, each with its target. */
function checkRoute(target: string, answers: Answers, policies: Policies): readonly string[] {
  const [kind, , name] = target.split('/')
  const result = answers.effective(target)
  const behind = new Map(
    result.requestPaths.map((path, index) => [path.gateway ? full(path.gateway) : '', { path, index }]),
  )
  for (const gateway of ['', ...GATEWAYS]) {
    const { path, index } = behind.get(gateway) ?? {}
    const limiting = sorted((path?.limits ?? []).map(({ policy }) => full(policy)))
    const layers = stacksOf(result, [])[index ?? -1]?.layers.filter(
      ({ state }) => state === 'own' || state === 'inherited',
    )
    expect(sorted((layers ?? []).map((layer) => layer.name))).toEqual(limiting)
    const rendered = limitsIn(answers.textOf(gateway), target, answers.composition, policies)
    if (gateway !== '') expect([gateway, ...rendered]).toEqual([gateway, ...limiting])
    if (path?.gateway?.found && answers.isSimulated(target)) expect(answers.simulate(target, gateway)).toEqual(limiting)
    if (path?.gateway?.found) expect(answers.parts.get(gateway)).toEqual(expect.arrayContaining([...limiting]))
  }
  return result.requestPaths.flatMap(({ limits, gateway }) =>
    limits.map(({ policy, level }) => {
      const on = level === 'gateway' ? { kind: 'Gateway', name: gateway?.name } : { kind, name }
      const at = gateway && { namespace: gateway.namespace, name: gateway.name }
      expect(result.notInForce).not.toContainEqual(expect.objectContaining({ ...policy, target: on, gateway: at }))
      return `${full(policy)} ${on.kind}/${on.name}`
    }),
  )
}

type Finding = { readonly rule: string; readonly severity: string }
const by =
  (...rules: readonly string[]) =>
  ({ rule }: Finding) =>
    rules.some((name) => rule === `gateway/${name}`)

/** What lint finds, by the reason that status gives. */
const FINDINGS = {
  'other-controller': by('other-controller'),
  'target-absent': by('target-not-found', 'target-namespace'),
  detached: by('target-not-attached', 'release-fault'),
  namespace: by('target-not-attached'),
  conflict: by('conflict'),
  invalid: ({ rule, severity }: Finding) => severity === 'error' || rule === 'gateway/release-fault',
  'not-accepted': () => false,
} as const

const ABOUT_TARGETS = new Set(
  ['other-controller', 'target-not-found', 'target-namespace', 'target-not-attached'].map((name) => `gateway/${name}`),
)

const CONDITIONS = cases<Readonly<Record<keyof typeof FINDINGS, RegExp>>>('CONDITIONS')

/** True where the controller may not see a target, so that it has no entry. */
const mayBeUnseen = (found: readonly string[], { knowsSets }: Answers): boolean =>
  !knowsSets || /(?:other-controller|release-fault)/.test(found.join())

/** Compares what status and lint say about a policy on its targets. */
function checkPolicy(name: string, { written }: RandomPolicy, answers: Answers, inForce: ReadonlySet<string>): void {
  const { status, findings } = answers
  const own = findings.get(name) ?? []
  const { ancestors = [] } = status.policies.find((one) => full(one) === name) ?? {}
  for (const [index, target] of written.entries()) {
    const isThis = ({ kind, name: on }: { readonly kind: string; readonly name: string }) => `${kind}/${on}` === target
    const { reason } = status.notInForce.find((one) => full(one.policy) === name && isThis(one.target)) ?? {}
    const conditions = ancestors.find(({ ancestorRef }) => isThis(ancestorRef))?.conditions ?? []
    const said = conditions
      .slice(0, 1)
      .map((one) => `${one.status} ${one.reason}`)
      .join()
    // Programmed, where the release has it, follows from Accepted.
    expect(conditions.every(({ status: state }) => state === conditions[0]?.status)).toBe(true)
    const found = own.filter(({ pointer }) => pointer.startsWith(`/spec/targetRefs/${index}/`)).map(({ rule }) => rule)
    const warned = found.filter((rule) => ABOUT_TARGETS.has(rule))
    const about = `${name} on ${target}: ${reason}, ${said}, ${warned}`
    if (reason === undefined) {
      expect([about, warned]).toEqual([about, []])
      expect(said, about).toMatch(/^True|^Unknown/)
      continue
    }
    expect([about, inForce.has(`${name} ${target}`)]).toEqual([about, false])
    if (said !== '' || !mayBeUnseen(found, answers)) expect(said, about).toMatch(CONDITIONS[reason])
    const isSaid = own.some(
      (one) => FINDINGS[reason](one) && (warned.includes(one.rule) || !ABOUT_TARGETS.has(one.rule)),
    )
    expect([about, isSaid]).toEqual([about, true])
  }
}

/** What a Gateway has itself is at http or in its servers, and its list of routes counts what they have behind it. */
function checkGateway(gateway: string, answers: Answers, policies: Policies): void {
  const { requestPaths, routes } = answers.effective(`Gateway/${gateway}`)
  const [http = ''] = ofGateway(answers.textOf(gateway)).split(/^# ---- locations of /m)
  const own = requestPaths.flatMap(({ limits }) => limits.map(({ policy }) => full(policy)))
  expect([gateway, ...namedIn(http, policies)]).toEqual([gateway, ...sorted(own)])
  for (const { kind, ownLimits, ...route } of routes) {
    const path = answers
      .effective(`${kind}/${full(route)}`)
      .requestPaths.find((one) => one.gateway && full(one.gateway) === gateway)
    expect(path?.limits.filter(({ level }) => level === 'route')).toHaveLength(ownLimits)
  }
}

/** A policy that nginx gets for a Gateway is in force on one of its targets, or is refused by nginx. */
function checkParts({ parts, status }: Answers, policies: Policies): void {
  for (const [gateway, names] of parts)
    for (const name of names) {
      const none = status.notInForce.filter(({ policy, reason }) => full(policy) === name && reason !== 'invalid')
      expect([gateway, name, none.length < (policies.get(name)?.written.length ?? 0)]).toEqual([gateway, name, true])
    }
}

/** The Gateways whose class is known and of another product, read from the manifests alone. */
function foreignGateways({ around }: RandomPlaces): readonly string[] {
  const text = around.map((object) => JSON.stringify(object))
  const theirs = text.flatMap((one) => /"GatewayClass","metadata":{"name":"(envoy|istio)"/.exec(one)?.[1] ?? [])
  return text.flatMap((one) => {
    const [, name, namespace, className = ''] =
      /"Gateway","metadata":{"name":"(\w+)","namespace":"(\w+)"},"spec":{"gatewayClassName":"(\w+)"/.exec(one) ?? []
    return theirs.includes(className) ? [`${namespace}/${name}`] : []
  })
}

it(`no command contradicts another, in ${WORLDS} random worlds`, { timeout: 60_000 + WORLDS * 100 }, () =>
  fc.assert(
    fc.property(randomPlaces, (places) => {
      const answers = ask(places)
      const policies = new Map(places.policies.map((policy) => [full(policy), policy]))
      const inForce = new Set(ROUTES.flatMap((route) => checkRoute(route, answers, policies)))
      for (const [name, policy] of policies) checkPolicy(name, policy, answers, inForce)
      for (const gateway of foreignGateways(places)) {
        const on = [...inForce].filter((one) => one.startsWith(`${gateway.split('/')[0]}/`))
        expect(on).not.toContainEqual(expect.stringMatching(` Gateway/${gateway.split('/')[1]}$`))
        expect([gateway, answers.parts.get(gateway)]).toEqual([gateway, []])
      }
      checkParts(answers, policies)
      for (const gateway of GATEWAYS) checkGateway(gateway, answers, policies)
    }),
    { numRuns: WORLDS },
  ),
)
