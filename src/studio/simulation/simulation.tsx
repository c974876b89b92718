/** Traffic through the limits of manifests or of a proxy: what passes, waits and is rejected, and when. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { SimulationReport, TextSource } from '../../browser.ts'
import { LogChooser, logOf } from './log-chooser.tsx'
import { pictureOf, saveAs } from './picture.ts'
import { Plot } from './plot.tsx'
import { createRunner, type LogFile, type Runner, type RunState } from './runner.ts'
import { shown } from './series.ts'
import { Outcomes, Timeline } from './tables.tsx'
import { FIRST_FIELDS, trafficOf } from './traffic.ts'
import { TrafficForm } from './traffic-form.tsx'

export type SimulationProps = {
  readonly sources: readonly TextSource[]
  /** `KIND/[NS/]NAME`, or `Proxy/NAME`; undefined for whatever takes the requests. */
  readonly route: string | undefined
  /** Another version of the sources, to compare with. */
  readonly previous?: readonly TextSource[]
}

export function Simulation({ sources, route, previous }: SimulationProps) {
  const [fields, setFields] = useState(FIRST_FIELDS)
  const [log, setLog] = useState<LogFile>()
  const [isOver, setIsOver] = useState(false)
  const [state, setState] = useState<RunState>({ isBusy: false })
  const runner = useRunner(setState)
  const traffic = useMemo(() => log ?? trafficOf(fields), [log, fields])
  const problem = traffic && 'problem' in traffic ? traffic.problem : undefined
  useEffect(() => {
    if (!traffic || 'problem' in traffic) return
    const options = { ...(route === undefined ? {} : { route }), ...(previous ? { compare: previous } : {}) }
    runner.current?.run({ sources, options, traffic })
  }, [runner, sources, route, previous, traffic])
  const cancel = () => {
    runner.current?.cancel()
    setLog(undefined)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    setLog(logOf(event.dataTransfer?.files) ?? log)
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(true)
  }
  return (
    <section
      class={isOver ? 'sim sim-over' : 'sim'}
      aria-label="Simulation"
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <div class="sim-controls">
        {!log && <TrafficForm fields={fields} onChange={setFields} />}
        <LogChooser log={log} onChange={(chosen) => (chosen ? setLog(chosen) : cancel())} />
      </div>
      <div class="sim-results" aria-busy={state.isBusy}>
        {log && state.isBusy && <Reading progress={state.progress ?? 0} onCancel={cancel} />}
        <Problems problems={problem ? [problem] : (state.problems ?? [])} />
        {state.report && !problem && <Results report={state.report} runner={runner.current} />}
      </div>
    </section>
  )
}

/** The runner of this view, which ends with it. */
function useRunner(onState: (change: (state: RunState) => RunState) => void) {
  const runner = useRef<Runner | undefined>(undefined)
  runner.current ??= createRunner(onState)
  useEffect(() => () => runner.current?.close(), [])
  return runner
}

function Reading({ progress, onCancel }: { readonly progress: number; onCancel(): void }) {
  return (
    <p class="sim-reading">
      <progress aria-label="Reading the log" value={progress} max={1} />
      <span>{Math.floor(progress * 100)} %</span>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </p>
  )
}

function Problems({ problems }: { readonly problems: readonly string[] }) {
  return (
    <div role="alert">
      {problems.map((problem) => (
        <p key={problem} class="sim-problem">
          {problem}
        </p>
      ))}
    </div>
  )
}

type ResultsProps = { readonly report: SimulationReport; readonly runner: Runner | undefined }

function Results({ report, runner }: ResultsProps) {
  const frame = useRef<HTMLElement>(null)
  const { totals, warnings, notJudged, comparison } = report
  return (
    <>
      <p role="status" class="sim-summary">
        {summaryOf(report)}
      </p>
      {comparison && (
        <p>
          Compared with the previous version: {shown(comparison.newlyRejected.requests)} newly rejected,{' '}
          {shown(comparison.noLongerRejected.requests)} no longer rejected.
        </p>
      )}
      {totals.requests > 0 && <Plot report={report} frame={frame} />}
      <Exports report={report} runner={runner} frame={frame} />
      <Outcomes report={report} />
      <Timeline report={report} />
      <Notes title="What to know about these numbers" notes={warnings} isOpen />
      <Notes title="Left out" notes={notJudged.map(({ file, reason }) => `${file}: ${reason}`)} />
    </>
  )
}

const summaryOf = ({ totals, traffic }: SimulationReport): string =>
  [
    `${shown(totals.requests)} requests: ${shown(totals.passed)} passed, ${shown(totals.delayed)} delayed, ${shown(totals.rejected)} rejected`,
    ...(totals.unmatched > 0 ? [`${shown(totals.unmatched)} unmatched`] : []),
    ...(traffic.unreadable > 0 ? [`${shown(traffic.unreadable)} of ${shown(traffic.lines)} lines unreadable`] : []),
  ].join(', ')

type NotesProps = { readonly title: string; readonly notes: readonly string[]; readonly isOpen?: boolean }

function Notes({ title, notes, isOpen = false }: NotesProps) {
  if (notes.length === 0) return null
  return (
    <details open={isOpen}>
      <summary>
        {title} ({notes.length})
      </summary>
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  )
}

/** The formats in which a simulation is saved: what makes the file, and what it is. */
const FORMATS = ['png', 'svg', 'csv'] as const
const TYPES = { svg: 'image/svg+xml', csv: 'text/csv' } as const

function Exports({
  report,
  runner,
  frame,
}: ResultsProps & { readonly frame: { readonly current: HTMLElement | null } }) {
  const [problem, setProblem] = useState('')
  const save = async (format: (typeof FORMATS)[number]) => {
    setProblem('')
    try {
      saveAs(`simulation.${format}`, await content(format))
    } catch (error) {
      setProblem(`Not saved: ${error instanceof Error ? error.message : String(error)}.`)
    }
  }
  const content = async (format: (typeof FORMATS)[number]): Promise<Blob> => {
    if (format === 'png' && frame.current) return await pictureOf(frame.current, titleOf(report))
    if (format === 'png' || !runner) throw new Error('there is no plot')
    return new Blob([await runner.format(report, format)], { type: TYPES[format] })
  }
  return (
    <p class="sim-exports">
      {FORMATS.map((format) => (
        <button key={format} type="button" onClick={() => void save(format)}>
          Save as {format.toUpperCase()}
        </button>
      ))}
      <span role="alert">{problem}</span>
    </p>
  )
}

const titleOf = ({ traffic: { type, files, name } }: SimulationReport): string =>
  type === 'log' ? `${files.join(', ')} (${name})` : name
