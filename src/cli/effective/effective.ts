/** `sluice effective`. */
import { queryLimits } from '../../queries/effective.ts'
import { queryUncovered } from '../../queries/uncovered.ts'
import { effectiveJson, effectiveText } from '../../reports/effective.ts'
import { uncoveredJson, uncoveredText } from '../../reports/uncovered.ts'
import { type Command, command } from '../core/command.ts'
import type { Args } from '../core/flags.ts'
import { COMPOSITIONS, INPUT_FLAGS, readComposition } from '../core/inputs.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { runQuery } from '../core/query.ts'

const FORMATS = ['text', 'json'] as const

/** `sluice effective`. */
export const effectiveCommand: Command = command({
  name: 'effective',
  summary: 'list the limits of a route, a Gateway or an API proxy',
  usage: 'KIND/[NAMESPACE/]NAME|--uncovered [paths…] [flags]',
  details: `KIND is HTTPRoute, GRPCRoute, Gateway, or Proxy for an API proxy, which is named
Proxy/[HOSTNAME/]NAME[@VERSION]. Paths are the same as for lint: files, folders,
quoted globs, or - for the standard input; the default is the current folder.
Policies outside these paths may add limits to a route or Gateway; the report
says so unless --closed-world is set.

With --uncovered, the routes that have no limit at all are listed instead, and
the exit code is 1 where there are any. A route that is meant to have none says
so in the annotation or label sluice.policy/unlimited.`,
  flags: {
    format: {
      value: 'NAME',
      choices: FORMATS,
      summary: `output format: ${FORMATS.join(', ')}; the JSON is a contract`,
    },
    composition: {
      value: 'MODE',
      choices: COMPOSITIONS,
      summary: 'stack or inherit; default: as in the settings, else stack',
    },
    uncovered: { summary: 'list the routes without any limit instead; exit code 1 where there are any' },
    world: { value: 'NAME', summary: 'the world to look in, if the settings define several' },
    ...INPUT_FLAGS,
  },
  examples: [
    { line: 'sluice effective HTTPRoute/coffee examples/shop', does: 'every limit that applies to a route' },
    { line: 'sluice effective Gateway/shop/storefront examples/shop', does: 'the limits of a Gateway, and its routes' },
    {
      line: 'sluice effective HTTPRoute/coffee examples/shop --composition inherit',
      does: 'the limits of the route replace those of the Gateway',
    },
    {
      line: 'kustomize build . | sluice effective HTTPRoute/coffee - --closed-world',
      does: 'what the cluster would get',
    },
    {
      line: 'sluice effective Proxy/menu examples/api-management',
      does: 'the limits of an API proxy, and where each value is written',
    },
    { line: 'sluice effective HTTPRoute/coffee examples/shop --format json', does: 'for programs' },
    { line: 'sluice effective --uncovered examples/shop --closed-world', does: 'the routes that nothing limits' },
  ],
  run: async (io, args) => {
    if (args.has('uncovered')) return await listUncovered(io, args)
    const [query, ...paths] = args.positionals
    if (query === undefined)
      throw new InputError('an object is missing; write KIND/NAME, such as "sluice effective HTTPRoute/coffee"')
    const composition = readComposition(args)
    return await runQuery(io, args, {
      paths,
      formats: FORMATS,
      ask: ({ project, collected, closedWorld, namespace }) =>
        queryLimits(query, collected, {
          settings: { ...project.settings, ...(composition ? { composition } : {}) },
          closedWorld,
          namespace,
          world: args.value('world'),
        }),
      leftOut: ({ notJudged }) => notJudged,
      show: (limits, { notJudged, print }) =>
        print({
          text: (page) => effectiveText(limits, page),
          json: () => effectiveJson({ ...limits, notJudged }),
        }),
    })
  },
})

/** `--uncovered`. */
async function listUncovered(
  io: Io,
  args: Args<'composition' | 'world' | 'format' | keyof typeof INPUT_FLAGS>,
): Promise<number> {
  const [first] = args.positionals
  if (first !== undefined && /^(?:HTTPRoute|GRPCRoute|Gateway|Proxy)\//.test(first))
    throw new InputError(`--uncovered is about all routes: use it without ${first}`)
  const composition = readComposition(args)
  let isFound = false
  const code = await runQuery(io, args, {
    paths: args.positionals,
    formats: FORMATS,
    ask: ({ project, collected, closedWorld }) =>
      queryUncovered(collected, {
        settings: { ...project.settings, ...(composition ? { composition } : {}) },
        closedWorld,
        world: args.value('world'),
      }),
    leftOut: ({ notJudged }) => notJudged,
    show: (result, { notJudged, print }) => {
      isFound = result.uncovered.length > 0
      print({ text: (page) => uncoveredText(result, page), json: () => uncoveredJson({ ...result, notJudged }) })
    },
  })
  return code === EXIT.clean && isFound ? EXIT.findings : code
}
