import {
  lookUpTarget,
  namespacesOfTarget,
  type OwnLookups,
  otherKindOf,
  targetAfterBuild,
  targetNamesIn,
} from '../../src/gateway/lookups/lookups.ts'
import type { TargetKind } from '../../src/gateway/objects/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { nearest } from '../../src/text/nearest.ts'
import { inNamespace, shorten } from '../describe.ts'
import { gateway, manifest, target as ref } from './manifest.ts'

/** The controller ignores an absent target without an error: a policy with a misspelt name looks as if it worked. */
export default rule({
  id: 'gateway/target-not-found',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['gateways', 'routes'],
  summary: 'Every target exists.',
  why: 'The controller ignores a target that does not exist: nothing is limited there, and if no target exists, the policy may not even get a status. The limits take effect as soon as an object with that name is created.',
  remedy: 'Correct the name, or create the object.',
  source: 'specification of RateLimitPolicy, "States and transitions"',
  messages: {
    absent: {
      text: '{kind} "{name}" does not exist{where}',
      remedy: 'Correct the name, or create the {kind}.',
    },
    misspelt: {
      text: '{kind} "{name}" does not exist{where}',
      remedy: 'Write "{meant}", or create the {kind}.',
    },
    'not-renamed': {
      text: 'the name {affix} was not applied to the target\'s name: the kustomization calls the {kind} "{meant}", and the policy still targets "{name}"',
      remedy:
        'Add a file to "configurations:" whose nameReference names kind {kind} with the path spec/targetRefs/name of RateLimitPolicy.',
    },
    'other-kind': {
      text: '{kind} "{name}" does not exist{where}',
      remedy: 'Write "kind: {meant}": there is a {meant} with that name.',
    },
  },
  examples: () => ({
    bad: manifest({ targets: [ref('Gateway', 'shopp')], beside: [gateway('shop')] }),
    good: manifest({ targets: [ref('Gateway', 'shop')], beside: [gateway('shop')] }),
  }),
  check(policy, context) {
    const { namespace } = policy.identity
    for (const { target, kind, name } of policy.namedTargets) {
      const state = lookUpTarget(context, kind, namespace, name)
      const built = state === 'found' ? undefined : targetAfterBuild(context, kind, namespace, name)
      if (built !== undefined) {
        const data = { kind, name: shorten(name), meant: shorten(built), affix: affixOf(name, built) }
        context.report('not-renamed', target.name, data)
        continue
      }
      if (state !== 'absent') continue
      if (namespacesOfTarget(context, kind, name).length > 0) continue
      const data = { kind, name: shorten(name), where: inNamespace(namespace) }
      const otherKind = otherKindOf(context, kind, namespace, name)
      const meant = meantName(context, kind, namespace, name)
      if (otherKind) context.report('other-kind', target.kind, { ...data, meant: otherKind })
      else if (meant) context.report('misspelt', target.name, { ...data, meant })
      else context.report('absent', target.name, data)
    }
  },
})

/** What a kustomization has added to a name. */
function affixOf(name: string, built: string): string {
  if (built.endsWith(name)) return 'prefix'
  return built.startsWith(name) ? 'suffix' : 'prefix or suffix'
}

/** Beyond this many names the search for the nearest would cost more than it helps. */
const MANY_NAMES = 200

function meantName(
  world: Pick<OwnLookups, 'gateways' | 'routes'>,
  kind: TargetKind,
  namespace: string | undefined,
  name: string,
): string | undefined {
  const names = targetNamesIn(world, kind, namespace)
  return names.length > MANY_NAMES ? undefined : nearest(name, names)
}
