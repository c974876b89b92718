/**
 * `sluice render`: the nginx configuration that the policies on a Gateway and on its routes mean. Source: specification
 * of RateLimitPolicy, "What the service does".
 */
import { utf8Length } from '../../text/utf8.ts'
import { isHttpContextOnly } from '../effective/level.ts'
import { type CompleteOptions, completeNodes } from './complete.ts'
import { type Around, type Configuration, type ConfigurationOptions, configurationOf } from './configuration.ts'
import { fragmentsOf } from './fragments.ts'
import type { NamedGateway } from './gateways.ts'
import { LONGEST_SOCKET, socketOf } from './hops.ts'
import { print } from './nodes.ts'
import { limitNodes, policyFiles, type RenderedFile, settingNodes } from './policy-files.ts'

/** How a Gateway is rendered. */
export type RenderOptions = ConfigurationOptions &
  Omit<CompleteOptions, 'includes'> & {
    /** A whole nginx.conf instead of what stands in each context. */
    readonly complete: boolean
    /** One file a policy, as the product does, and others that include them; else one file with everything. */
    readonly files: boolean
  }

/** The configuration of one Gateway. */
export type Rendered = {
  readonly files: readonly RenderedFile[]
  /** What the user has to mend, each in one line; then the files are not good for use. */
  readonly problems: readonly string[]
  /** Backends by the names under which addresses can be given, and the given names that were of use. */
  readonly backends: ReadonlySet<string>
  readonly used: ReadonlySet<string>
  /** Backends that would be this nginx itself. */
  readonly loops: readonly string[]
}

/** Renders a Gateway; never throws. The same objects give the same text. */
export function renderGateway(gateway: NamedGateway, around: Around, options: RenderOptions): Rendered {
  const configuration = configurationOf(gateway, around, options)
  const problems = socketProblems(configuration, options)
  const own = options.files ? filesOfPolicies(configuration) : []
  if (options.complete) {
    const { nodes, ...rest } = completeNodes(configuration, { ...options, includes: options.files })
    const files = [...own, { name: 'nginx.conf', text: print(nodes) }]
    return { ...rest, files, problems: [...problems, ...rest.problems] }
  }
  const fragments = fragmentsOf(configuration, { ...options, includes: options.files })
  const files = options.files
    ? fragments.map(({ file, nodes }) => ({ name: file, text: print(nodes) }))
    : [{ name: 'fragments.conf', text: print(fragments.flatMap(({ nodes }) => nodes)) }]
  return { files: [...own, ...files], problems, backends: new Set(), used: new Set(), loops: [] }
}

/** The files of policies that hold; one without a directive is not written. */
const filesOfPolicies = ({ policies }: Configuration): readonly RenderedFile[] =>
  policies.flatMap((policy) => {
    const [zones, limits] = policyFiles(policy)
    const isLimiting = !isHttpContextOnly(policy) && limitNodes(policy).length + settingNodes(policy).length > 0
    return [...(policy.limits.length > 0 ? [zones] : []), ...(isLimiting ? [limits] : [])]
  })

function socketProblems({ routes }: Configuration, { socketDir }: RenderOptions): readonly string[] {
  const isTooLong = utf8Length(socketOf(socketDir, '')) > LONGEST_SOCKET
  const hasHop = routes.some(({ hop }) => hop !== undefined)
  return hasHop && isTooLong ? ['the path of --socket-dir is too long for a socket'] : []
}
