/**
 * `sluice render`: the nginx configuration of the policies on a Gateway and on its routes. Source: specification of
 * RateLimitPolicy, "What the service does".
 */

import { print } from '../../nginx/nodes.ts'
import { utf8Length } from '../../text/utf8.ts'
import { isHttpContextOnly } from '../effective/level.ts'
import { type Complete, type CompleteOptions, completeNodes } from './complete.ts'
import { type Configuration, configurationOf, type RenderLookups, type RenderModes } from './configuration.ts'
import { limitNodes, policyFiles, type RenderedFile, settingNodes } from './files.ts'
import { fragmentsOf } from './fragments.ts'
import { LONGEST_SOCKET, socketOf } from './hops.ts'
import type { NamedGateway } from './listeners.ts'

/** How a Gateway is rendered. */
export type RenderOptions = RenderModes &
  Omit<CompleteOptions, 'includes'> & {
    /** A whole nginx.conf instead of the directives of each context. */
    readonly complete: boolean
    /** Two files for each policy, as in NGINX Gateway Fabric, and others that include them; else one file with everything. */
    readonly files: boolean
  }

/** The configuration of one Gateway as files. With problems the files cannot be used. */
export type Rendered = Omit<Complete, 'nodes'> &
  Pick<Configuration, 'policies'> & { readonly files: readonly RenderedFile[] }

/** Renders a Gateway; never throws. The same objects and options give the same text. */
export function renderGateway(gateway: NamedGateway, lookups: RenderLookups, options: RenderOptions): Rendered {
  const configuration = configurationOf(gateway, lookups, options)
  const problems = socketProblems(configuration, options)
  const { policies } = configuration
  const own = options.files ? filesOfPolicies(configuration, options) : []
  if (options.complete) {
    const { nodes, ...rest } = completeNodes(configuration, { ...options, includes: options.files })
    const files = [...own, { name: 'nginx.conf', text: print(nodes) }]
    return { ...rest, policies, files, problems: [...problems, ...rest.problems] }
  }
  const fragments = fragmentsOf(configuration, { ...options, includes: options.files })
  const files = options.files
    ? fragments.map(({ file, nodes }) => ({ name: file, text: print(nodes) }))
    : [{ name: 'fragments.conf', text: print(fragments.flatMap(({ nodes }) => nodes)) }]
  return { files: [...own, ...files], policies, problems, backends: new Set(), used: new Set(), loops: [] }
}

/** The files of the accepted policies; a file without directives is left out. */
const filesOfPolicies = (
  { policies, limitsIn, zones: included }: Configuration,
  { zoneNaming }: Pick<RenderModes, 'zoneNaming'>,
): readonly RenderedFile[] =>
  policies.flatMap((policy) => {
    const [zones, limits] = policyFiles(policy, zoneNaming, limitsIn)
    const isLimiting =
      !isHttpContextOnly(policy) && limitNodes(policy, zoneNaming).length + settingNodes(policy).length > 0
    return [...(included.some(({ file }) => file === zones.name) ? [zones] : []), ...(isLimiting ? [limits] : [])]
  })

function socketProblems({ routes }: Configuration, { socketDir }: RenderOptions): readonly string[] {
  const isTooLong = utf8Length(socketOf(socketDir, '')) > LONGEST_SOCKET
  const hasHop = routes.some(({ hop }) => hop !== undefined)
  return hasHop && isTooLong ? ['the path of --socket-dir is too long for a socket'] : []
}
