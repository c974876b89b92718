/** The report of a simulation as JSON: a contract, version 1, see schemas/simulate.schema.json. */
import type { SimulationReport } from '../../simulate/report/report.ts'

/** One object, indented; each point of a timeline has its own line. */
export function simulationJson(report: SimulationReport): string {
  const { timeline, ...rest } = report
  const text = JSON.stringify({ ...rest, timeline }, null, 2)
  return `${text.replace(/\{\n +("at": [^{}]*?)\n +\}/g, (_, members: string) => `{${members.replace(/\n */g, '')}}`)}\n`
}
