/** `sluice render`: which Gateways are meant, and the nginx configuration of each. */

import { type NamedGateway, titleOfGateway } from '../gateway/render/listeners.ts'
import { type Rendered, type RenderOptions, renderGateway } from '../gateway/render/render.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import type { Source } from '../project/source.ts'
import { harvestWorlds, worldOf } from '../project/worlds.ts'
import type { Settings } from '../settings/settings.ts'
import type { Outcome } from './find-target.ts'
import { type GatewayQuestion, type GatewaySight, pickGateways } from './pick-gateways.ts'
import { sightNotes } from './render-notes.ts'
import { unusedAddress } from './unused-address.ts'

/** What is asked for. */
export type RenderQuestion = GatewayQuestion & {
  readonly settings: Settings
  readonly closedWorld: boolean
  /** How to render; what the settings decide is taken from them. */
  readonly how: Omit<RenderOptions, 'composition' | 'conflict' | 'nginxVersion' | 'plus' | 'defined'>
}

/** The configuration of one Gateway. */
export type RenderedGateway = Pick<Rendered, 'files' | 'loops'> & {
  /** The world that it lives in; empty where the settings name none. */
  readonly world: string
  readonly namespace: string
  readonly name: string
  /** False where others merely name it. */
  readonly inSight: boolean
}

/** The configurations that were asked for. */
export type RenderAnswer = {
  readonly gateways: readonly RenderedGateway[]
  /** What a user should know of what was left out, each in one line. */
  readonly notes: readonly string[]
}

/** Renders the Gateways that are meant, or says in one line why there is no configuration. */
export function answerRender(sources: Iterable<Source>, question: RenderQuestion): Outcome<RenderAnswer> {
  const { settings, closedWorld, how } = question
  const { worlds } = harvestWorlds(sources, apiNames(settings.apiGroups))
  const sights = [...worlds].map(([name, harvest]) => ({
    name,
    harvest,
    world: worldOf(harvest, { closed: closedWorld }),
  }))
  const picked = pickGateways(sights, question)
  if (!picked.ok) return picked
  const { chosen, others } = picked.value
  const rendered = chosen.map(({ sight, gateway }) => ({ sight, gateway, ...renderIn(sight, gateway, question) }))
  const problem = rendered.flatMap(({ gateway, problems }) =>
    problems.map((text) => `${titleOfGateway(gateway)}: ${text}`),
  )[0]
  const useless = problem ?? unusedAddress(how.addresses, rendered)
  if (useless !== undefined) return { ok: false, problem: useless }
  return {
    ok: true,
    value: {
      gateways: rendered.map(({ sight, gateway: { namespace, name, view }, files, loops }) => ({
        world: sight.name,
        namespace,
        name,
        inSight: view !== undefined,
        files,
        loops,
      })),
      notes: [
        ...rendered.flatMap(({ sight, gateway }) => sightNotes(sight, gateway)),
        ...others.map((gateway) => `${titleOfGateway(gateway)} is not in sight, only named; --gateway renders it`),
      ],
    },
  }
}

function renderIn({ world }: GatewaySight, gateway: NamedGateway, { settings, how }: RenderQuestion): Rendered {
  const { composition, conflict, platform } = settings
  const configured = platform.variables.map((name) => name.replace(/^\$/, '').toLowerCase())
  const options = {
    ...how,
    composition,
    conflict,
    nginxVersion: platform.nginxVersion,
    plus: platform.plus,
    defined: new Set([...configured, ...world.variables.defined]),
  }
  return renderGateway(gateway, world, options)
}
