/** The controller against a real API server: `test/fixtures/cluster/controller.txtar`. */
import { useCluster } from './cluster.ts'
import { OWN, useControllers } from './controllers.ts'
import { gatewayClass } from './resources.ts'
import { describeInCluster } from './transcripts.ts'

<<<<<<< HEAD
const THEIRS = 'example.com/other'

const cluster = useCluster({ objects: [gatewayClass('nginx', OWN), gatewayClass('theirs', THEIRS)] })
const { kubectl, store } = cluster
const { start, get, ancestors, conditionsOf, eventsOf, ...controllers } = useControllers(cluster)

/** A new namespace for each test. */
let spaces = 0
const newSpace = () => controllers.newSpace(`shop-${++spaces}`)

/** Without their messages. */
const verdicts = async (name: string, space: string) =>
  (await ancestors(name, space)).map((one) => one.replace(/: .*/, ''))

const hasAncestors = (name: string, space: string, ...expected: string[]) =>
  until(
    `the status of ${name} is ${expected.join(', ')}`,
    async () => (await verdicts(name, space)).join() === expected.join(),
  )

/** Creation times have whole seconds. */
const nextSecond = () => new Promise((resolve) => setTimeout(resolve, 1100))

describe('statuses', () => {
  test('of policies and targets are written, move with conflicts, and go with the policies', async () => {
    const space = await newSpace()
    await start()
    await store([
      gateway('edge', space),
      route('HTTPRoute', 'coffee', 'edge', space),
      policy('first', ['HTTPRoute/coffee'], { rejectCode: 429 }, space),
      policy('all', ['Gateway/edge'], {}, space),
      policy('lost', ['HTTPRoute/gone'], {}, space),
    ])
    await hasAncestors('first', space, 'HTTPRoute/coffee True Accepted')
    await hasAncestors('all', space, 'Gateway/edge True Accepted')
    await hasAncestors('lost', space, 'HTTPRoute/gone False TargetNotFound')
    await until('the route is marked', async () => (await conditionsOf('httproute/coffee', space)).includes(AFFECTED))
    await until('the Gateway is marked', async () => (await conditionsOf('gateway/edge', space)).includes(AFFECTED))
    expect(await conditionsOf('gateway/edge', space)).toContain('Accepted Pending')
    await nextSecond()
    await store([policy('second', ['HTTPRoute/coffee'], { rejectCode: 503 }, space)])
    await hasAncestors('second', space, 'HTTPRoute/coffee False Conflicted')
    expect(await ancestors('second', space)).toEqual([
      `HTTPRoute/coffee False Conflicted: Conflicts with RateLimitPolicy ${space}/first, which is older and sets rejectCode on HTTPRoute coffee`,
    ])
    await must(kubectl(`delete ratelimitpolicy first -n ${space}`))
    await hasAncestors('second', space, 'HTTPRoute/coffee True Accepted')
    await nextSecond()
    await store([policy('first', ['HTTPRoute/coffee'], { rejectCode: 429 }, space)])
    await hasAncestors('first', space, 'HTTPRoute/coffee False Conflicted')
    await must(kubectl(`delete ratelimitpolicy first second all -n ${space}`))
    await until(
      'no condition is left on the route',
      async () => (await conditionsOf('httproute/coffee', space)).length === 0,
    )
    await until('nor on the Gateway', async () => !(await conditionsOf('gateway/edge', space)).includes(AFFECTED))
    expect(await conditionsOf('gateway/edge', space)).toContain('Accepted Pending')
  })

  test('of a policy that is deleted and created again, also while no controller runs', async () => {
    const space = await newSpace()
    const own = () => policy('again', ['HTTPRoute/tea'], {}, space)
    await store([gateway('edge', space), route('HTTPRoute', 'tea', 'edge', space), own()])
    const controller = await start('--namespace', space)
    await hasAncestors('again', space, 'HTTPRoute/tea True Accepted')
    const before = await get('ratelimitpolicy/again', space)
    await must(kubectl(`delete ratelimitpolicy again -n ${space}`))
    await store([own()])
    await hasAncestors('again', space, 'HTTPRoute/tea True Accepted')
    expect((await get('ratelimitpolicy/again', space)).metadata.uid).not.toBe(before.metadata.uid)
    expect(await conditionsOf('httproute/tea', space)).toEqual([AFFECTED])
    expect(await controller.stop()).toBe(0)
    await must(kubectl(`delete ratelimitpolicy again -n ${space}`))
    await start('--namespace', space)
    await until('the mark is gone', async () => (await conditionsOf('httproute/tea', space)).length === 0)
  })

  test('have the generation that was looked at, and the time at which they changed', async () => {
    const space = await newSpace()
    await start('--namespace', space)
    await store([gateway('edge', space), policy('p', ['Gateway/edge'], {}, space)])
    await hasAncestors('p', space, 'Gateway/edge True Accepted')
    const conditionOf = async () => {
      const { metadata, status } = await get('ratelimitpolicy/p', space)
      const [entry] = (status?.ancestors ?? []) as { conditions: JsonObject[] }[]
      const { observedGeneration, lastTransitionTime } = entry?.conditions[0] ?? {}
      return { generation: metadata.generation, observedGeneration, lastTransitionTime }
    }
    const first = await conditionOf()
    expect(first.observedGeneration).toBe(1)
    await nextSecond()
    await store([policy('p', ['Gateway/edge'], { rejectCode: 429 }, space)])
    const isObserved = async () => (await conditionOf()).observedGeneration === 2
    await until('the new generation is looked at', isObserved)
    expect(await conditionOf()).toEqual({ ...first, generation: 2, observedGeneration: 2 })
    await store([policy('p', ['Gateway/gone'], {}, space)])
    await hasAncestors('p', space, 'Gateway/gone False TargetNotFound')
    await store([gateway('gone', space)])
    await hasAncestors('p', space, 'Gateway/gone True Accepted')
    expect((await conditionOf()).lastTransitionTime).not.toBe(first.lastTransitionTime)
  })

  test('of routes on a targeted Gateway, where the settings say so', async () => {
    const space = await newSpace()
    const config = join(cluster.folder, 'sluice.config.yaml')
    writeFileSync(config, 'affectedRoutes: attached\n')
    await store([
      { ...gateway('edge', space) },
      route('GRPCRoute', 'chat', 'edge', space),
      policy('p', ['Gateway/edge'], {}, space),
    ])
    await start('--namespace', space, '--config', config)
    await until('the route is marked', async () => (await conditionsOf('grpcroute/chat', space)).includes(AFFECTED))
    writeFileSync(config, '{}\n')
    await until('it is not any longer', async () => (await conditionsOf('grpcroute/chat', space)).length === 0)
    writeFileSync(config, 'affectedRoutes: sideways\n')
    await store([policy('q', ['Gateway/edge'], {}, space)])
    await hasAncestors('q', space, 'Gateway/edge True Accepted')
  })
})

describe('what others have written', () => {
  const other = { controllerName: THEIRS, conditions: [conditionOf('Accepted')] }

  function conditionOf(type: string) {
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    return { type, status: 'True', reason: 'Theirs', message: 'of another controller', lastTransitionTime }
  }

  const writeStatus = async (what: string, space: string, status: object, manager = 'theirs') =>
    must(
      kubectl([
        ...`patch ${what} -n ${space} --subresource=status --type=merge --field-manager=${manager} -p`.split(' '),
        JSON.stringify({ status }),
      ]),
    )

  test('stays: entries of ancestors and of parents, and conditions of a Gateway', async () => {
    const space = await newSpace()
    await store([
      gateway('edge', space),
      route('HTTPRoute', 'coffee', 'edge', space),
      policy('p', ['HTTPRoute/coffee'], {}, space),
      policy('g', ['Gateway/edge'], {}, space),
    ])
    // The CRD takes a reference without a kind for one to a Gateway.
    await writeStatus('ratelimitpolicy/p', space, { ancestors: [{ ...other, ancestorRef: { name: 'coffee' } }] })
    await writeStatus('httproute/coffee', space, { parents: [{ ...other, parentRef: { name: 'edge' } }] })
    await writeStatus('gateway/edge', space, {
      conditions: [conditionOf('Programmed')],
      addresses: [{ value: '10.0.0.1' }],
    })
    const controller = await start('--namespace', space)
    await hasAncestors('p', space, 'Gateway/coffee True Theirs', 'HTTPRoute/coffee True Accepted')
    await until('the route is marked', async () => (await conditionsOf('httproute/coffee', space)).includes(AFFECTED))
    expect(await conditionsOf('httproute/coffee', space)).toEqual(['Accepted Theirs', AFFECTED])
    await until('the Gateway is marked', async () => (await conditionsOf('gateway/edge', space)).includes(AFFECTED))
    const theirs = (await get('ratelimitpolicy/p', space)).status?.ancestors as JsonObject[]
    await writeStatus('ratelimitpolicy/p', space, { ancestors: [...theirs.toReversed()] })
    await writeStatus('gateway/edge', space, { conditions: [conditionOf('Programmed')] })
    await until('what they removed is back', async () => (await conditionsOf('gateway/edge', space)).includes(AFFECTED))
    expect(await verdicts('p', space)).toEqual(['HTTPRoute/coffee True Accepted', 'Gateway/coffee True Theirs'])
    await must(kubectl(`delete ratelimitpolicy p g -n ${space}`))
    await until('our marks are gone', async () => {
      const left = [...(await conditionsOf('httproute/coffee', space)), ...(await conditionsOf('gateway/edge', space))]
      return !left.includes(AFFECTED)
    })
    expect(await conditionsOf('httproute/coffee', space)).toEqual(['Accepted Theirs'])
    expect(await conditionsOf('gateway/edge', space)).toEqual(['Programmed Theirs'])
    expect((await get('gateway/edge', space)).status?.addresses).toEqual([{ value: '10.0.0.1' }])
    expect(await controller.stop()).toBe(0)
  })

  test('a stale condition of our Gateway goes, also one that another program has written', async () => {
    const space = await newSpace()
    await store([gateway('edge', space)])
    await writeStatus('gateway/edge', space, {
      conditions: [conditionOf('Programmed'), conditionOf('RateLimitPolicyAffected')],
    })
    await start('--namespace', space)
    await until('it is gone', async () => (await conditionsOf('gateway/edge', space)).length === 1)
    expect(await conditionsOf('gateway/edge', space)).toEqual(['Programmed Theirs'])
  })

  test('Gateways of other classes and their routes are left alone, unless they are named', async () => {
    const space = await newSpace()
    const foreign = { ...gateway('far', space), spec: { ...gateway('far').spec, gatewayClassName: 'theirs' } }
    const classless = { ...gateway('none', space), spec: { ...gateway('none').spec, gatewayClassName: 'nobody' } }
    await store([
      foreign,
      classless,
      gateway('edge', space),
      route('HTTPRoute', 'tea', 'far', space),
      policy('a', ['Gateway/far'], {}, space),
      policy('b', ['HTTPRoute/tea'], {}, space),
      policy('c', ['Gateway/edge'], {}, space),
      policy('d', ['Gateway/none'], {}, space),
    ])
    await writeStatus('gateway/far', space, { conditions: [conditionOf('RateLimitPolicyAffected')] })
    const own = await start('--namespace', space)
    await hasAncestors('c', space, 'Gateway/edge True Accepted')
    expect(await own.stop()).toBe(0)
    for (const name of ['a', 'b', 'd']) expect(await ancestors(name, space)).toEqual([])
    expect(await conditionsOf('gateway/far', space)).toEqual(['RateLimitPolicyAffected Theirs'])
    expect(await conditionsOf('httproute/tea', space)).toEqual([])
    await start('--namespace', space, '--status-only-for', THEIRS, '--controller-name', 'example.com/sluice')
    await hasAncestors('a', space, 'Gateway/far True Accepted')
    await hasAncestors('b', space, 'HTTPRoute/tea True Accepted')
    await until('their route is marked', async () => (await conditionsOf('httproute/tea', space)).includes(AFFECTED))
    const { status } = await get('httproute/tea', space)
    expect(status?.parents).toMatchObject([{ controllerName: 'example.com/sluice' }])
    expect(await verdicts('c', space)).toEqual(['Gateway/edge True Accepted'])
  })
})

describe('events', () => {
  test('say that a conflict is lost, and to whom: once, and once more when it is lost again', async () => {
    const space = await newSpace()
    await store([
      gateway('edge', space),
      policy('a', ['Gateway/edge'], { rejectCode: 429 }, space),
      policy('b', ['Gateway/edge'], { rejectCode: 429 }, space),
    ])
    const first = await start('--namespace', space)
    await hasAncestors('b', space, 'Gateway/edge False Conflicted')
    const [said, ...others] = await eventsOf(space)
    expect(said).toMatch(/^Warning Conflicted RateLimitPolicy\/b 1: Conflicts with RateLimitPolicy .*\/a, which /)
    expect(others).toEqual([])
    await must(kubectl(`label ratelimitpolicy b -n ${space} team=x`))
    await first.stop()
    await start('--namespace', space)
    await store([policy('b', ['Gateway/edge'], {}, space)])
    await hasAncestors('b', space, 'Gateway/edge True Accepted')
    expect(await eventsOf(space)).toEqual([said])
    await store([policy('b', ['Gateway/edge'], { rejectCode: 503 }, space)])
    await hasAncestors('b', space, 'Gateway/edge False Conflicted')
    expect(await eventsOf(space)).toEqual([said?.replace(' 1: ', ' 2: ')])
    const described = await must(kubectl(`describe ratelimitpolicy b -n ${space}`))
    expect(described).toMatch(/Warning\s+Conflicted .*sluice-controller/)
  })
})

describe('wrong usage', () => {
  test.each([
    [['--status-only-for', OWN], /writes statuses under this name itself/],
    [['--controller-name', 'nginx'], /--controller-name must be a name such as/],
    [['--workers', '2'], /--workers is a flag of "sluice serve admission"/],
  ])('%j is refused in one line', async (flags, words) => {
    await expect(start(...flags)).rejects.toThrow(words)
  })
})
=======
const cluster = useCluster({ objects: [gatewayClass('nginx', OWN), gatewayClass('theirs', 'example.com/other')] })
describeInCluster(cluster, 'controller', useControllers(cluster))
>>>>>>> main
