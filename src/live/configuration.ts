/**
 * What an nginx is to run for one Gateway, as a driver wants it: a configuration in parts, one for each policy. The form of
 * a part is the policy's object, so that its last accepted form can be rendered beside today's others.
 */
import { zoneChanges } from '../gateway/keys/zones.ts'
import { LAST_APPLIED } from '../gateway/objects/last-applied.ts'
import { type PolicyView, readPolicy } from '../gateway/objects/policy.ts'
import { acceptedPolicies } from '../gateway/render/configuration.ts'
import { fileNameSize, fileNamesOf, type RenderedFile } from '../gateway/render/files.ts'
import type { NamedGateway } from '../gateway/render/listeners.ts'
import { type RenderOptions, renderGateway } from '../gateway/render/render.ts'
import { isObject, type JsonObject } from '../json/member.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { fullName } from '../kubernetes/metadata.ts'
import type { ConfigurationFile, Forms, Wanted } from '../proxy/configuration.ts'
import { renderSettings } from '../queries/render.ts'
import { compareText } from '../text/order.ts'
import { cachedBy } from '../world/cache.ts'
import type { LiveWorld } from './world.ts'

/** The nginx of a Gateway, and what is around it. */
export type Site = Pick<
  RenderOptions,
  'nginxVersion' | 'address' | 'ports' | 'addresses' | 'certificates' | 'socketDir'
>

/** A configuration for a driver. */
export type GatewayConfiguration = {
  readonly wanted: Wanted
  /** What keeps it from being used, each in one line, such as two listeners on one port: the driver must not get it. */
  readonly problems: readonly string[]
  /** The accepted policies that cannot be a part of it, by the names of their parts, and why. */
  readonly leftOut: ReadonlyMap<string, string>
}

/** What an application depends on beside the world. */
export type WantedOptions = {
  readonly site: Site
  /** What the driver said last to be in force; without it no refused key is foreseen. */
  readonly inForce: Forms | undefined
  /** All or nothing, as the specification has it. */
  readonly whole?: boolean
}

/**
 * The configuration of a Gateway with its accepted policies: those that the API server accepts and that lose no conflict.
 * Each is a part with the name `namespace/name`. `compose` renders any forms of them, of any time, in the rest of the world.
 */
export function configurationFor(
  gateway: NamedGateway,
  world: LiveWorld,
  { site, inForce, whole: isWhole = false }: WantedOptions,
): GatewayConfiguration {
  const options: RenderOptions = {
    ...renderSettings(world.lookups, world.settings),
    ...site,
    portOffset: 0,
    complete: true,
    files: true,
  }
  const accepted = acceptedPolicies(gateway, world.lookups, options.conflict).filter(({ identity }) => identity.name)
  const leftOut = new Map(accepted.flatMap((policy) => (isNameTooLong(policy) ? [[partOf(policy), TOO_LONG]] : [])))
  const policies = accepted.filter((policy) => !leftOut.has(partOf(policy)))
  const views = new Map(policies.map((policy) => [formOf(policy), policy]))
  const render = (forms: Forms) => {
    const parts = new Map([...forms].map(([part, form]) => [part, views.get(form) ?? readForm(form, world.names)]))
    const rendered = renderGateway(gateway, world.withPolicies([...parts.values()]), options)
    return { ...rendered, files: withParts(rendered.files, parts) }
  }
  const sorted = [...policies].sort((a, b) => compareText(partOf(a), partOf(b)))
  const forms: Forms = new Map(sorted.map((policy) => [partOf(policy), formOf(policy)]))
  const whole = render(forms)
  return {
    wanted: {
      forms,
      // Most of the time the first attempt is accepted: what it needs is there already.
      compose: (some) => (isSame(some, forms) ? whole : render(some)).files,
      suspects: new Set(suspects(policies, world, inForce).map(partOf)),
      whole: isWhole,
    },
    problems: whole.problems,
    leftOut,
  }
}

/** The policy of a part. */
export function policyOfPart(part: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = part.split('/')
  return { namespace, name }
}

const isSame = (one: Forms, other: Forms): boolean =>
  one.size === other.size && [...one].every(([part, form]) => other.get(part) === form)

const partOf = ({ identity }: PolicyView): string => fullName(identity)

/** nginx's own words name zones and files; a file of a policy leads to its part. */
function withParts(
  files: readonly RenderedFile[],
  parts: ReadonlyMap<string, PolicyView>,
): readonly ConfigurationFile[] {
  const partOfFile = new Map(
    [...parts].flatMap(([part, policy]) => Object.values(fileNamesOf(policy)).map((name) => [name, part] as const)),
  )
  return files.map((file) => {
    const part = partOfFile.get(file.name)
    return part === undefined ? file : { ...file, part }
  })
}

const isNameTooLong = (policy: PolicyView): boolean => {
  const { length, most } = fileNameSize(policy)
  return length > most
}

const TOO_LONG = 'its namespace and name are too long for the name of a file of the configuration'

/** The policies that nginx will refuse: for an error of their own, or for the keys that its zones have. */
function suspects(
  policies: readonly PolicyView[],
  { settings, names, isForeseenToFail }: LiveWorld,
  inForce: Forms = new Map(),
): readonly PolicyView[] {
  const { pageSize } = settings.platform
  return policies.filter((policy) => {
    const old = inForce.get(partOf(policy))
    if (old === formOf(policy)) return false
    const previous = old === undefined ? undefined : readForm(old, names)
    const changes = previous ? zoneChanges(previous, policy, { pageSize, naming: settings.zoneNaming }) : []
    return changes.length > 0 || isForeseenToFail(policy)
  })
}

/** What decides about the configuration; the rest of an object, such as its status, changes nothing. */
const formOf = cachedBy(({ object, identity }: PolicyView): string => {
  const { apiVersion, kind, metadata, spec } = object
  const { creationTimestamp, annotations }: JsonObject = isObject(metadata) ? metadata : {}
  const { [LAST_APPLIED]: _, ...others }: JsonObject = isObject(annotations) ? annotations : {}
  const { namespace, name } = identity
  return JSON.stringify({
    apiVersion,
    kind,
    metadata: { namespace, name, creationTimestamp, annotations: others },
    spec,
  })
})

function readForm(form: string, names: ApiNames): PolicyView {
  const object: unknown = JSON.parse(form)
  return readPolicy(isObject(object) ? object : {}, undefined, names)
}
