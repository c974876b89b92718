/** The numbers of a report as tables. */
import type { SimulationReport } from '../../browser.ts'
import { Scrolled } from '../scrolled.tsx'
import { arriving, fillTitle, intervalTitle, shown, timeTitle } from './series.ts'

type Limit = SimulationReport['policies'][number]['limits'][number]
type Waits = SimulationReport['waits']

/** Outcomes and waits: of all requests, then of each limit. */
export function Outcomes({ report }: { readonly report: SimulationReport }) {
  const { totals, waits, policies, system } = report
  const limits = policies.flatMap(({ name, limits: all }) => all.map((limit) => ({ name, limit })))
  return (
    <Scrolled class="sim-scroll" label="Outcomes and waiting times">
      <table class="sim-numbers">
        <caption>Outcomes and waiting times</caption>
        <thead>
          <tr>
            {['', 'Requests', 'Passed', 'Delayed', 'Rejected', 'Wait p50', 'Wait p95', 'Longest wait'].map((title) =>
              title === '' ? <td key={title} /> : <th key={title}>{title}</th>,
            )}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">All requests</th>
            <Counts {...totals} />
            <WaitCells waits={waits} />
          </tr>
          {limits.map(({ name, limit }) => (
            <tr key={`${name} ${limit.index}`}>
              <th scope="row">
                {name} {system === 'gateway' ? `rules[${limit.index}]` : `limits[${limit.index}]`}
                <small>{limitTitle(limit)}</small>
              </th>
              <Counts {...limit} />
              <WaitCells waits={limit.waits} />
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

/** `10r/s by $binary_remote_addr, burst 20, delay 8, dry run`. */
const limitTitle = ({ rate, key, burst, delay, noDelay, dryRun }: Limit): string =>
  [
    `${rate} by ${key}`,
    ...(burst > 0 ? [`burst ${burst}`] : []),
    ...(noDelay ? ['no delay'] : delay !== null && delay > 0 ? [`delay ${delay}`] : []),
    ...(dryRun ? ['dry run'] : []),
  ].join(', ')

function Counts({ requests, passed, delayed, rejected }: Pick<Limit, 'requests' | 'passed' | 'delayed' | 'rejected'>) {
  return (
    <>
      <td>{shown(requests)}</td>
      <td>{shown(passed)}</td>
      <td>{shown(delayed)}</td>
      <td>{shown(rejected)}</td>
    </>
  )
}

function WaitCells({ waits }: { readonly waits: Waits }) {
  return (
    <>
      {(['p50', 'p95', 'max'] as const).map((name) => (
        <td key={name}>{waits ? waitTitle(waits[name]) : '–'}</td>
      ))}
    </>
  )
}

const waitTitle = (milliseconds: number): string => `${shown(milliseconds)} ms`

/** The numbers of the plot, for readers who cannot see it. */
export function Timeline({ report }: { readonly report: SimulationReport }) {
  const { timeline, interval } = report
  return (
    <details>
      <summary>Numbers of the plot</summary>
      <Scrolled class="sim-scroll" label="Numbers of the plot">
        <table class="sim-numbers">
          <caption>Requests per {intervalTitle(interval)}</caption>
          <thead>
            <tr>
              {['Time', 'Arriving', 'Passed', 'Delayed', 'Rejected', 'Unmatched', 'Fullest bucket'].map((title) => (
                <th key={title}>{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {timeline.map((point) => (
              <tr key={point.at}>
                <th scope="row">{timeTitle(point.at)}</th>
                <td>{shown(arriving(point))}</td>
                <td>{shown(point.passed)}</td>
                <td>{shown(point.delayed)}</td>
                <td>{shown(point.rejected)}</td>
                <td>{shown(point.unmatched)}</td>
                <td>{fillTitle(point.fill)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </details>
  )
}
