/** `sluice effective`. */
import { queryLimits } from '../../queries/effective.ts'
import { effectiveJson, effectiveText } from '../../reports/effective.ts'
import { type Command, command } from '../core/command.ts'
import { COMPOSITIONS, INPUT_FLAGS, readComposition } from '../core/inputs.ts'
import { InputError } from '../core/io.ts'
import { runQuery } from '../core/query.ts'

const FORMATS = ['text', 'json'] as const

/** `sluice effective`. */
export const effectiveCommand: Command = command({
  name: 'effective',
  summary: 'list the limits of a route, a Gateway or an API proxy',
  usage: 'KIND/[NAMESPACE/]NAME [paths…] [flags]',
  details: `KIND is HTTPRoute, GRPCRoute, Gateway, or Proxy for an API proxy, which is named
Proxy/[HOSTNAME/]NAME[@VERSION]. Paths are the same as for lint: files, folders,
quoted globs, or - for the standard input; the default is the current folder.
Policies outside these paths may add limits to a route or Gateway; the report
says so unless --closed-world is set.`,
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
  ],
  run: async (io, args) => {
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
