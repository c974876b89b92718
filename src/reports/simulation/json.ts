/** The report of a simulation as JSON: a contract, version 1, see schemas/simulate.schema.json. */
import type { SimulationReport } from '../../simulate/report/report.ts'

/** One object, indented; each point of the timeline has its own line. */
export function simulationJson(report: SimulationReport): string {
  const { timeline, ...rest } = report
  const head = JSON.stringify(rest, null, 2)
  const points = timeline.map((point) => `    ${JSON.stringify(point)}`).join(',\n')
  return `${head.slice(0, -2)},\n  "timeline": ${points === '' ? '[]' : `[\n${points}\n  ]`}\n}\n`
}
