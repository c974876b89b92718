/** The outcome of a simulation for programs: a contract, version 1. */
import type { SimulationReport } from '../../simulate/report/report.ts'

/** One object; each point of the timeline and each key has a line of its own. */
export function simulationJson(report: SimulationReport): string {
  const { timeline, ...rest } = report
  const head = JSON.stringify(rest, null, 2)
  const points = timeline.map((point) => `    ${JSON.stringify(point)}`).join(',\n')
  return `${head.slice(0, -2)},\n  "timeline": ${points === '' ? '[]' : `[\n${points}\n  ]`}\n}\n`
}
