/** `sluice status`. */

import { worldsNamed } from '../../queries/find.ts'
import { queryWorlds } from '../../queries/query-world.ts'
import { CONTROLLER_NAME, kubernetesTime, queryStatus } from '../../queries/status.ts'
import { statusJson, statusTable, statusYaml } from '../../reports/status.ts'
import { type Command, command } from '../core/command.ts'
import { INPUT_FLAGS } from '../core/inputs.ts'
import { InputError } from '../core/io.ts'
import { runQuery } from '../core/query.ts'

const FORMATS = ['table', 'yaml', 'json'] as const

/** `sluice status`. */
export const statusCommand: Command = command({
  name: 'status',
  summary: 'show which policies are accepted, and the targets they affect',
  usage: '[paths…] [flags]',
  details: `Paths are the same as for lint. A policy is accepted on a target if the target
exists, the policy has no errors, and no preferred policy conflicts with it. The
older policy is preferred; of two with the same age, the first by name. A target
outside these paths is unknown; with --closed-world it does not exist.

With --format yaml or json, the policies and their targets are printed whole,
with the status that a controller would write.`,
  flags: {
    format: { value: 'NAME', choices: FORMATS, summary: `output format: ${FORMATS.join(', ')}` },
    'controller-name': { value: 'NAME', summary: 'the name of the controller; default: NGINX Gateway Fabric' },
    now: { value: 'TIME', summary: 'the time of new conditions, such as 2026-01-31T12:00:00Z' },
    world: { value: 'NAME', summary: 'only this world, if the settings define several' },
    ...INPUT_FLAGS,
  },
  examples: [
    { line: 'sluice status examples/shop', does: 'a table of policies and of the targets that they affect' },
    { line: 'sluice status examples/shop --closed-world', does: 'a target that is not in the files does not exist' },
    {
      line: 'kubectl get ratelimitpolicies,gateways,httproutes -A -o yaml | sluice status -',
      does: 'the objects of a cluster',
    },
    {
      line: 'sluice status examples/shop --format yaml --now 2026-01-31T12:00:00Z',
      does: 'whole objects; the output is the same each time',
    },
  ],
  run: async (io, args) => {
    const now = readTime(args.value('now'))
    const controllerName = readControllerName(args.value('controller-name'))
    return await runQuery(io, args, {
      paths: args.positionals,
      formats: FORMATS,
      ask({ project: { settings }, collected, closedWorld }) {
        const worlds = worldsNamed(args.value('world'), queryWorlds(collected, { settings, closedWorld }))
        if (!worlds.ok) return worlds
        return { ok: true, value: worlds.value.map((world) => queryStatus(world, { settings, controllerName, now })) }
      },
      leftOut: (results) => results.flatMap(({ notJudged }) => notJudged),
      show: (results, { notJudged, print }) =>
        print({
          table: (page) => statusTable(results, page),
          yaml: () => statusYaml(results),
          json: () => statusJson(results, notJudged),
        }),
    })
  },
})

/** The time of the flag, else that of the clock. */
function readTime(text = new Date().toISOString()): string {
  const time = kubernetesTime(text)
  if (time === undefined) throw new InputError(`--now must be a time such as 2026-01-31T12:00:00Z; got "${text}"`)
  return time
}

function readControllerName(name: string | undefined): string | undefined {
  if (name === undefined || CONTROLLER_NAME.test(name)) return name
  throw new InputError(`--controller-name must be a name such as "example.com/gateway-controller"; got "${name}"`)
}
