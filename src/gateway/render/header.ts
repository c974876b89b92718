/** The first lines of every output: whose configuration it is, what was assumed, what was left out. */
import type { Composition } from '../effective/effective.ts'
import type { Configuration } from './configuration.ts'
import { titleOfGateway } from './gateways.ts'
import { comment, type Node, SPACE } from './nodes.ts'

const COMPOSITIONS: Readonly<Record<Composition, string>> = {
  stack:
    'Composition assumed: stack. The limits of Gateway and route are both enforced: a location with limits of its own restates those of its Gateway.',
  inherit:
    'Composition assumed: inherit, as NGINX Gateway Fabric writes it. Limits of a route take the place of those of its Gateway.',
}

/** Comments that stand above everything else. */
export const headerNodes = ({ gateway, composition, notes }: Configuration): readonly Node[] => [
  comment(`${titleOfGateway(gateway)}: what its RateLimitPolicies mean to nginx.`),
  comment(COMPOSITIONS[composition]),
  SPACE,
  ...notes.map(comment),
  SPACE,
]
