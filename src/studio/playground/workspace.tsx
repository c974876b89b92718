/** The editor, and beside it what the files mean, a pane for each question. */
import { useCallback, useMemo, useState } from 'preact/hooks'
import type { FindingFix, TextSource } from '../../browser.ts'
import { type Analysis, afterFix, diagnosticOf, findingsIn, useAnalysis } from './analysis.ts'
import { Editor, type Place } from './editor.tsx'
import { Files } from './files.tsx'
import { loadedLater } from './loaded-later.tsx'
import { Conditions, Configuration, Findings, Limits } from './panes.tsx'
import { type PlaygroundState, targetsIn } from './state.ts'

const PANES = ['Findings', 'nginx configuration', 'Limits', 'Conditions', 'Update', 'Simulation'] as const
type Pane = (typeof PANES)[number]

const Simulation = loadedLater(async () => (await import('../simulation/simulation.tsx')).Simulation)
const Update = loadedLater(async () => (await import('./update.tsx')).Update)

type WorkspaceProps = {
  readonly state: PlaygroundState
  /** The one in the editor. */
  readonly file: string
  onState(change: (state: PlaygroundState) => PlaygroundState): void
  onFile(file: string): void
}

export function Workspace({ state, file, onState, onFile }: WorkspaceProps) {
  const [goTo, setGoTo] = useState<Place>()
  const { analysis, isBusy } = useAnalysis(state)
  const text = state.files.find((one) => one.file === file)?.text ?? ''
  const write = (name: string, next: string) =>
    onState((now) => ({
      ...now,
      files: now.files.map((one) => (one.file === name ? { file: name, text: next } : one)),
    }))
  const fix = useCallback(
    (name: string, { edits }: FindingFix) =>
      onState((now) => ({ ...now, files: afterFix(now.files, analysis?.files ?? [], { file: name, edits }) })),
    [analysis, onState],
  )
  const diagnostics = useMemo(() => {
    const analysed = analysis?.files.find((one) => one.file === file)?.text ?? ''
    return analysis
      ? findingsIn(analysis.lint, file).map((finding) => diagnosticOf(analysed, finding, (one) => fix(file, one)))
      : []
  }, [analysis, file, fix])
  const show = (place: Place & { readonly file: string }) => {
    onFile(place.file)
    setGoTo({ line: place.line, column: place.column })
  }
  return (
    <div class="play" aria-busy={isBusy}>
      <section class="play-left" aria-label="Files">
        <Files
          files={state.files}
          chosen={file}
          onChoose={onFile}
          onFiles={(files) => onState((now) => ({ ...now, files }))}
        />
        <Editor file={file} text={text} diagnostics={diagnostics} goTo={goTo} onChange={(next) => write(file, next)} />
      </section>
      <Results state={state} analysis={analysis} onState={onState} onFix={fix} onGoTo={show} />
    </div>
  )
}

type ResultsProps = Pick<WorkspaceProps, 'state' | 'onState'> & {
  /** Undefined until there is one. */
  readonly analysis: Analysis | undefined
  onFix(file: string, fix: FindingFix): void
  onGoTo(place: Place & { readonly file: string }): void
}

/** The tabs, and the pane of the chosen one. */
function Results(props: ResultsProps) {
  const [pane, setPane] = useState<Pane>('Findings')
  return (
    <div class="play-right">
      <div class="play-tabs" role="tablist" aria-label="Results">
        {PANES.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={pane === name}
            aria-controls="pane"
            tabIndex={pane === name ? 0 : -1}
            onClick={() => setPane(name)}
            onKeyDown={({ key }) => moveTab(key, name, setPane)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="play-pane" id="pane" role="tabpanel" aria-labelledby={`tab-${pane}`}>
        {props.analysis ? (
          <PaneShown {...props} analysis={props.analysis} pane={pane} />
        ) : (
          <p role="status">Loading …</p>
        )}
      </div>
    </div>
  )
}

/** The keys of a list of tabs. Source: ARIA Authoring Practices, "Tabs". */
function moveTab(key: string, from: Pane, choose: (pane: Pane) => void): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
  if (step === undefined) return
  const next = PANES[(PANES.indexOf(from) + step + PANES.length) % PANES.length] ?? from
  choose(next)
  document.getElementById(`tab-${next}`)?.focus()
}

type PaneProps = ResultsProps & { readonly pane: Pane; readonly analysis: Analysis }

function PaneShown({ pane, state, analysis, onState, onFix, onGoTo }: PaneProps) {
  const [marked, setMarked] = useState('')
  const { files, lint } = analysis
  const targets = useTargets(state)
  const target = state.target ?? targets[0]
  const chooseTarget = (chosen: string) =>
    onState(({ target: _, ...now }) => (chosen === '' ? now : { ...now, target: chosen }))
  switch (pane) {
    case 'Findings':
      return <Findings lint={lint} files={state.files.map((one) => one.file)} onFix={onFix} onGoTo={onGoTo} />
    case 'nginx configuration':
      return <Configuration files={files} marked={marked} onMark={setMarked} />
    case 'Limits':
      return (
        <>
          <TargetChoice targets={targets} chosen={target} isOptional={false} onChoose={chooseTarget} />
          <Limits files={files} target={target} />
        </>
      )
    case 'Conditions':
      return <Conditions files={files} />
    case 'Update':
      return <Update analysis={analysis} previous={state.previous} onFix={onFix} onGoTo={onGoTo} />
    case 'Simulation':
      return (
        <>
          <TargetChoice targets={targets} chosen={state.target} isOptional={true} onChoose={chooseTarget} />
          <Simulation sources={state.files} route={routeOf(state.target)} {...previousOf(state.previous)} />
        </>
      )
  }
}

/** Those in the files, and the one that is chosen although it is not in them. */
function useTargets({ files, target }: PlaygroundState): readonly string[] {
  const found = useMemo(() => targetsIn(files), [files])
  return target === undefined || found.includes(target) ? found : [target, ...found]
}

/** Requests to a Gateway are those to its routes. */
const routeOf = (target: string | undefined): string | undefined =>
  target?.startsWith('Gateway/') ? undefined : target

const previousOf = (previous: readonly TextSource[] | undefined) => (previous ? { previous } : {})

type TargetChoiceProps = {
  readonly targets: readonly string[]
  readonly chosen: string | undefined
  /** True where none may be chosen. */
  readonly isOptional: boolean
  onChoose(target: string): void
}

function TargetChoice({ targets, chosen = '', isOptional, onChoose }: TargetChoiceProps) {
  if (targets.length === 0) return null
  return (
    <label>
      Requests to{' '}
      <select value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {isOptional && <option value="">whichever route takes them</option>}
        {targets.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
