/** The editor, and beside it what the files mean, a pane for each question. */
import { useCallback, useMemo, useState } from 'preact/hooks'
import type { FindingFix, TextSource } from '../../browser.ts'
import { loadedLater } from '../loaded-later.tsx'
import { Tabs } from '../tabs.tsx'
import { type Analysis, afterFix, diagnosticOf, findingsIn, useAnalysis } from './analysis.ts'
import type { EditorPlace } from './configuration.tsx'
import type { Place } from './editor.tsx'
import { Files } from './files.tsx'
import type { Range } from './manifest-places.ts'
import { Conditions, Findings } from './panes.tsx'
import type { PlaygroundState } from './state.ts'
import { TargetChoice } from './target-choice.tsx'

const PANES = ['Findings', 'nginx configuration', 'Limits', 'Conditions', 'Admission', 'Update', 'Simulation'] as const
type Pane = (typeof PANES)[number]

// Asked for at once, and shown as soon as it is there: it is most of what is loaded.
const loadedEditor = import('./editor.tsx')
const Editor = loadedLater(async () => (await loadedEditor).Editor)
const LimitsAndConfiguration = loadedLater(async () => (await import('./configuration.tsx')).LimitsAndConfiguration)
const Admission = loadedLater(async () => (await import('./admission.tsx')).Admission)
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
  const [pointed, setPointed] = useState<Range>()
  const [cursor, setCursor] = useState(0)
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
  const point = (range: Range) => {
    onFile(range.file)
    setPointed(range)
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
        <Editor
          file={file}
          text={text}
          diagnostics={diagnostics}
          goTo={goTo}
          pointed={pointed}
          onChange={(next) => write(file, next)}
          onCursor={setCursor}
        />
      </section>
      <Results
        state={state}
        analysis={analysis}
        place={{ file, offset: cursor }}
        onState={onState}
        onFix={fix}
        onGoTo={show}
        onPoint={point}
      />
    </div>
  )
}

type ResultsProps = Pick<WorkspaceProps, 'state' | 'onState'> & {
  /** Undefined until there is one. */
  readonly analysis: Analysis | undefined
  /** Where the cursor is. */
  readonly place: EditorPlace
  onFix(file: string, fix: FindingFix): void
  onGoTo(place: Place & { readonly file: string }): void
  /** Shows a range in the editor, and leaves the cursor and the focus where they are. */
  onPoint(range: Range): void
}

/** The tabs, and the pane of the chosen one. */
function Results(props: ResultsProps) {
  const [pane, setPane] = useState<Pane>('Findings')
  return (
    <div class="play-right">
      <Tabs label="Results" names={PANES} chosen={pane} onChoose={(name) => setPane(name)}>
        {props.analysis ? (
          <PaneShown {...props} analysis={props.analysis} pane={pane} />
        ) : (
          <p role="status">Loading …</p>
        )}
      </Tabs>
    </div>
  )
}

type PaneProps = ResultsProps & { readonly pane: Pane; readonly analysis: Analysis }

function PaneShown(props: PaneProps) {
  const { pane, state, analysis, onState, onFix, onGoTo } = props
  switch (pane) {
    case 'Findings':
      return <Findings lint={analysis.lint} files={state.files.map(({ file }) => file)} onFix={onFix} onGoTo={onGoTo} />
    case 'nginx configuration':
    case 'Limits':
      return <LimitsAndConfiguration hasLayers={pane === 'Limits'} {...props} files={analysis.files} />
    case 'Conditions':
      return <Conditions files={analysis.files} />
    case 'Admission':
      return <Admission files={analysis.files} previous={state.previous} place={props.place} />
    case 'Update':
      return <Update analysis={analysis} previous={state.previous} onFix={onFix} onGoTo={onGoTo} />
    case 'Simulation':
      return (
        <>
          <TargetChoice state={state} isOptional={true} onState={onState} />
          <Simulation sources={state.files} route={routeOf(state.target)} {...previousOf(state.previous)} />
        </>
      )
  }
}

/** Requests to a Gateway are those to its routes. */
const routeOf = (target: string | undefined): string | undefined =>
  target?.startsWith('Gateway/') ? undefined : target

const previousOf = (previous: readonly TextSource[] | undefined) => (previous ? { previous } : {})
