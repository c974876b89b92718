/** `sluice simulate`. */
import { basename, dirname } from 'node:path'
import { collectSources } from '../../files/discover/collect-sources.ts'
import { writeFolder } from '../../files/write/new-files.ts'
import { type QueryWorld, queryWorlds } from '../../queries/query-world.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { simulationCsv } from '../../reports/simulation/csv.ts'
import { simulationJson } from '../../reports/simulation/json.ts'
import { simulationSvg } from '../../reports/simulation/svg.ts'
import { simulationText, trafficTitle } from '../../reports/simulation/text.ts'
import type { Settings } from '../../settings/settings.ts'
import type { SimulationReport } from '../../simulate/report/report.ts'
import { type Selected, sameWorld, select } from '../../simulate/scenario/select.ts'
import { simulate } from '../../simulate/simulate.ts'
import { type Command, command } from '../core/command.ts'
import { type Inputs, readChoice, readInputs } from '../core/inputs.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { wantsColor } from '../core/terminal.ts'
import {
  readCount,
  readTrafficFlags,
  SIMULATE_FLAGS,
  SIMULATE_FORMATS,
  type SimulateFlags,
  type TrafficFlags,
  withSimulateFlags,
} from './flags.ts'
import { complain, openTraffic, readable } from './traffic.ts'

export const simulateCommand: Command = command({
  name: 'simulate',
  summary: 'show what the limits would do to traffic',
  usage: '[paths…] (--log FILE | --clients N --rate R --for T) [flags]',
  details: `Sends requests of an access log, or of clients that nobody logged, to the limits
that the manifests put into nginx, with nginx's own arithmetic. Paths are as for
lint. Logs are nginx's combined or common, those of ingress-nginx, JSON, or
whatever --log-format describes as nginx.conf does; .gz is unpacked.`,
  flags: SIMULATE_FLAGS,
  examples: [
    { line: 'sluice simulate examples/shop --log access.log', does: 'what these limits would have done yesterday' },
    { line: 'zcat access.log.*.gz | sluice simulate k8s --log - --host shop.example', does: 'logs that name no host' },
    {
      line: 'sluice simulate k8s --clients 20 --rate 5r/s --for 60s --route HTTPRoute/tea',
      does: 'traffic that nobody has logged',
    },
    { line: 'sluice simulate k8s --log access.log --compare old/k8s', does: 'who would newly be refused' },
    { line: 'sluice simulate k8s --log access.log --svg limits.svg', does: 'a picture for the meeting' },
    {
      line: `sluice simulate --log a.log --log-format '$remote_addr [$msec] "$request"'`,
      does: 'a format of your own',
    },
  ],
  run: runSimulate,
})

async function runSimulate(io: Io, given: SimulateFlags): Promise<number> {
  const format = readChoice('format', given.value('format'), SIMULATE_FORMATS)
  const color = wantsColor(given.value('color'), io.stdout, io)
  const wanted = readTrafficFlags(given)
  const top = readCount(given, 'top', { least: 0, most: 10_000, fallback: 10 })
  const inputs = await readInputs(io, inDefaultNamespace(given), given.positionals)
  const settings = withSimulateFlags(inputs.project.settings, given)
  const { sight, selection } = selectFor(inputs, given, wanted, settings)
  const before = given.has('compare') ? await readBefore(io, given, { inputs, sight, settings }) : undefined
  const { traffic, constants, progress } = await openTraffic(io, given, wanted)
  const { report, reading } = await readable('the log', () =>
    simulate({ traffic, sight, before, selection, settings, constants, top }),
  )
  progress.clear()
  complain(reading, traffic, io)
  const picture = given.value('svg')
  if (picture !== undefined) writePicture(picture, report, io)
  if (format === 'json') io.stdout.write(simulationJson(report))
  else if (format === 'csv') io.stdout.write(simulationCsv(report))
  else io.stdout.write(simulationText(report, { color, width: io.stdout.columns }))
  if (format !== 'text') for (const warning of report.warnings) io.stderr.write(`note: ${escapeUnsafe(warning)}\n`)
  io.onWork?.()
  return inputs.collected.problems.length > 0 ? EXIT.input : EXIT.clean
}

/** As a cluster has it: manifests that name no namespace, and nobody else does, live in `default`. */
const inDefaultNamespace = (given: SimulateFlags): SimulateFlags => ({
  ...given,
  value: (name) => given.value(name) ?? (name === 'namespace' ? 'default' : undefined),
})

function selectFor(inputs: Inputs, given: SimulateFlags, wanted: TrafficFlags, settings: Settings): Selected {
  const sights = queryWorlds(inputs.collected.sources, { settings, closedWorld: inputs.closedWorld })
  const saysWhere = wanted.type === 'log' || (['path', 'host', 'method'] as const).some((flag) => given.has(flag))
  const question = {
    route: given.value('route'),
    gateway: given.value('gateway'),
    namespace: inputs.namespace,
    world: given.value('world'),
    anywhere: !saysWhere,
  }
  const selected = select(sights, question, settings)
  if (!selected.ok) throw new InputError(escapeUnsafe(selected.problem))
  return selected.value
}

/** The other version of the manifests. Throws {@link InputError} where it cannot be read. */
type Now = { readonly inputs: Inputs; readonly sight: QueryWorld; readonly settings: Settings }

async function readBefore(io: Io, given: SimulateFlags, { inputs, sight, settings }: Now): Promise<QueryWorld> {
  const { cwd, stdin } = io
  const { project, namespace, closedWorld } = inputs
  const paths = given.values('compare')
  const collected = await collectSources(paths, { ...project, cwd, stdin, rules: {}, namespace })
  const [problem] = collected.problems
  if (problem) throw new InputError(escapeUnsafe(`--compare ${problem.file}: ${problem.reason}`))
  const before = sameWorld(queryWorlds(collected.sources, { settings, closedWorld }), sight)
  if (!before)
    throw new InputError(
      `--compare ${paths.join(' ')}: no manifest in it${sight.name ? ` is of the world ${sight.name}` : ''}`,
    )
  return before
}

function writePicture(file: string, report: SimulationReport, { cwd }: Io): void {
  const text = simulationSvg(report, trafficTitle(report))
  const written = writeFolder(dirname(file), [{ path: basename(file), text }], cwd)
  if ('problem' in written) throw new InputError(escapeUnsafe(`${written.problem.file}: ${written.problem.reason}`))
}
