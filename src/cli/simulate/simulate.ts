/** `sluice simulate`. */
import { basename, dirname } from 'node:path'
import { collectSources } from '../../files/discover/collect-sources.ts'
import { writeFolder } from '../../files/write/new-files.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { simulationCsv } from '../../reports/simulation/csv.ts'
import { simulationJson } from '../../reports/simulation/json.ts'
import { simulationSvg } from '../../reports/simulation/svg.ts'
import { simulationText, trafficTitle } from '../../reports/simulation/text.ts'
import { simulateLogs } from '../../simulate/logs/simulate-logs.ts'
import type { SimulationReport } from '../../simulate/report/report.ts'
import type { SelectionQuery } from '../../simulate/scenario/select.ts'
import { notJudgedOf, prepareSimulation, type Simulation, simulateShape } from '../../simulate/simulate.ts'
import { type Command, command } from '../core/command.ts'
import type { Inputs } from '../core/inputs.ts'
import { InputError, type Io } from '../core/io.ts'
import { runQuery } from '../core/query.ts'
import {
  readCount,
  readPairs,
  readTrafficFlags,
  SIMULATE_FLAGS,
  SIMULATE_FORMATS,
  type SimulateFlags,
  type TrafficFlags,
  withSimulateFlags,
} from './flags.ts'
import { openLogs, reportUnreadable, withInputErrors } from './traffic.ts'

/** `sluice simulate`. */
export const simulateCommand: Command = command({
  name: 'simulate',
  summary: 'simulate what the limits do to traffic',
  usage: '[paths…] (--log FILE | --clients N --rate R --for T) [flags]',
  details: `Runs the requests of an access log, or of made-up clients, through the limits
that the manifests configure in nginx, with nginx's own arithmetic. Paths are as
for lint. Logs are in the combined or common format of nginx, in the formats of
ingress-nginx, Envoy or Traefik, in JSON, or in any format that --log-format
describes with the syntax of nginx.conf; lines may have the prefixes of
container runtimes and of kubectl. Files may be packed (.gz). Where the log has
neither $server_port nor $scheme, a request goes to the port where its route
does not only redirect. Made-up clients send at most 100 million requests.`,
  flags: SIMULATE_FLAGS,
  examples: [
    {
      line: 'sluice simulate examples/shop --log access.log',
      does: 'what these limits would have done to this traffic',
    },
    { line: 'zcat access.log.*.gz | sluice simulate k8s --log - --host shop.example', does: 'logs without a host' },
    {
      line: 'sluice simulate k8s --clients 20 --rate 5r/s --for 60s --route HTTPRoute/tea',
      does: 'traffic of made-up clients',
    },
    {
      line: 'sluice simulate proxies --log access.log --field consumer_id=client.id',
      does: 'API proxies, with the consumers in a JSON log',
    },
    { line: 'sluice simulate k8s --log access.log --compare old/k8s', does: 'which clients would newly be rejected' },
    { line: 'sluice simulate k8s --log access.log --svg limits.svg', does: 'the timeline as a picture' },
    {
      line: `sluice simulate --log a.log --log-format '$remote_addr [$msec] "$request"'`,
      does: 'a log in your own format',
    },
  ],
  run: runSimulate,
})

async function runSimulate(io: Io, flags: SimulateFlags): Promise<number> {
  const traffic = readTrafficFlags(flags)
  const top = readCount(flags, 'top', { least: 0, most: 10_000, fallback: 10 })
  return await runQuery(io, inDefaultNamespace(flags), {
    paths: flags.positionals,
    formats: SIMULATE_FORMATS,
    ask: async (inputs) =>
      prepareSimulation(
        {
          sources: inputs.collected,
          old: flags.has('compare') ? await readOld(io, flags, inputs) : undefined,
          closedWorld: inputs.closedWorld,
          settings: withSimulateFlags(inputs.project.settings, flags),
          ...selectionQuery(flags, inputs, traffic),
        },
        { constants: readPairs(flags, 'set'), top },
      ),
    leftOut: notJudgedOf,
    async show(simulation, { format, notJudged, print }) {
      const report = await simulateTraffic(io, flags, { simulation, traffic })
      const picture = flags.value('svg')
      if (picture !== undefined) writePicture(picture, report, io)
      print({
        text: (page) => simulationText(report, page),
        json: () => simulationJson({ ...report, notJudged }),
        csv: () => simulationCsv(report),
      })
      if (format !== 'text') for (const warning of report.warnings) io.stderr.write(`note: ${escapeUnsafe(warning)}\n`)
    },
  })
}

/** As in a cluster: manifests without a namespace are in `default`, unless something else sets it. */
const inDefaultNamespace = (flags: SimulateFlags): SimulateFlags => ({
  ...flags,
  value: (name) => flags.value(name) ?? (name === 'namespace' ? 'default' : undefined),
})

const selectionQuery = (flags: SimulateFlags, { namespace }: Inputs, { type }: TrafficFlags): SelectionQuery => ({
  route: flags.value('route'),
  gateway: flags.value('gateway'),
  namespace,
  world: flags.value('world'),
  anywhere: type === 'shape' && !(['path', 'host', 'method'] as const).some((flag) => flags.has(flag)),
})

/** The manifests of `--compare`. Throws {@link InputError} where they cannot be read. */
async function readOld({ cwd, stdin }: Io, flags: SimulateFlags, { project, namespace, collected: { texts } }: Inputs) {
  const paths = flags.values('compare')
  const collected = await collectSources(paths, { ...project, cwd, stdin, rules: {}, namespace, texts })
  const [problem] = collected.problems
  if (problem) throw new InputError(escapeUnsafe(`--compare ${problem.file}: ${problem.reason}`))
  return { sources: collected, name: `--compare ${paths.join(' ')}` }
}

type Run = { readonly simulation: Simulation; readonly traffic: TrafficFlags }

/** Opens the traffic and simulates it. Throws {@link InputError} where logs cannot be read. */
async function simulateTraffic(io: Io, flags: SimulateFlags, { simulation, traffic }: Run): Promise<SimulationReport> {
  if (traffic.type === 'shape') {
    const target = {
      method: flags.value('method') ?? 'GET',
      host: flags.value('host'),
      target: flags.value('path') ?? '/',
    }
    return simulateShape(simulation, { shape: traffic.shape, name: traffic.name, target })
  }
  const { files, progress } = await openLogs(io, flags, traffic.files)
  const { report, reading } = await withInputErrors('the log', () => simulateLogs(simulation, files))
  progress.clear()
  reportUnreadable(reading, files, io)
  return report
}

function writePicture(file: string, report: SimulationReport, { cwd }: Io): void {
  const text = simulationSvg(report, trafficTitle(report))
  const written = writeFolder(dirname(file), [{ path: basename(file), text }], cwd)
  if ('problem' in written) throw new InputError(escapeUnsafe(`${written.problem.file}: ${written.problem.reason}`))
}
