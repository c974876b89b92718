/** Manifests in an editor, and what they mean, while one types. */
import type { ComponentType } from 'preact'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import type { FindingFix } from '../../browser.ts'
import type { SimulationProps } from '../simulation/simulation.tsx'
import type { ViewProps } from '../view.ts'
import { afterFix, diagnosticOf, type FileFinding, findingsIn, useAnalysis } from './analysis.ts'
import { Editor } from './editor.tsx'
import { EXAMPLES, FIRST_TARGET } from './examples.ts'
import { Files } from './files.tsx'
import { Configuration, Findings, Printed } from './panes.tsx'
import { fromFragment, type PlaygroundState, targetsIn, toFragment } from './state.ts'

const FIRST: PlaygroundState = { files: EXAMPLES[0]?.files ?? [], target: FIRST_TARGET }

const PANES = ['Findings', 'nginx configuration', 'Limits', 'Conditions', 'Simulation'] as const
type Pane = (typeof PANES)[number]

export function Playground({ fragment }: ViewProps) {
  const [state, setState] = useState(FIRST)
  const [problem, setProblem] = useState('')
  const [file, setFile] = useState(FIRST.files[0]?.file ?? '')
  const open = useCallback((next: PlaygroundState) => {
    setState(next)
    setFile(next.files[0]?.file ?? '')
  }, [])
  useEffect(() => {
    if (fragment === '') return
    fromFragment(fragment).then(
      (found) => {
        open(found)
        setProblem('')
      },
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    )
  }, [fragment, open])
  return (
    <>
      <h1>Playground</h1>
      <div role="alert">{problem !== '' && <p class="play-error">{problem}</p>}</div>
      <Toolbar state={state} onOpen={open} />
      <Workspace state={state} file={file} onState={setState} onFile={setFile} />
    </>
  )
}

type ToolbarProps = { readonly state: PlaygroundState; onOpen(state: PlaygroundState): void }

function Toolbar({ state, onOpen }: ToolbarProps) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    const link = `${location.origin}${location.pathname}#${await toFragment(state)}`
    history.replaceState(null, '', link)
    const isCopied = await navigator.clipboard.writeText(link).then(
      () => true,
      () => false,
    )
    setSaid(
      isCopied ? 'The link is copied: it holds all files.' : 'The link is in the address bar: it holds all files.',
    )
  }
  const { previous } = state
  const compared = previous ? 'The files are compared with an earlier version.' : ''
  return (
    <div class="play-toolbar">
      <label>
        Example{' '}
        <select
          value=""
          onChange={({ currentTarget }) => {
            const example = EXAMPLES.find(({ title }) => title === currentTarget.value)
            if (example) {
              const { files, previous } = example
              onOpen({ files, target: FIRST_TARGET, ...(previous ? { previous } : {}) })
            }
          }}
        >
          <option value="">choose one …</option>
          {EXAMPLES.map(({ title }) => (
            <option key={title}>{title}</option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => void copy()}>
        Copy link
      </button>
      {previous ? (
        <button type="button" onClick={() => onOpen(withoutPrevious(state))}>
          Stop comparing
        </button>
      ) : (
        <button type="button" onClick={() => onOpen({ ...state, previous: state.files })}>
          Compare with this version
        </button>
      )}
      <span role="status">{said || compared}</span>
    </div>
  )
}

const withoutPrevious = ({ previous: _, ...state }: PlaygroundState): PlaygroundState => state

type WorkspaceProps = {
  readonly state: PlaygroundState
  /** The one in the editor. */
  readonly file: string
  onState(change: (state: PlaygroundState) => PlaygroundState): void
  onFile(file: string): void
}

function Workspace({ state, file, onState, onFile }: WorkspaceProps) {
  const [pane, setPane] = useState<Pane>('Findings')
  const [goTo, setGoTo] = useState<FileFinding>()
  const found = useMemo(() => targetsIn(state.files), [state.files])
  const chosen = state.target
  const targets = chosen === undefined || found.includes(chosen) ? found : [chosen, ...found]
  const asked = useMemo(() => {
    const target = chosen ?? found[0]
    return { ...state, ...(target === undefined ? {} : { target }) }
  }, [state, chosen, found])
  const { analysis, isBusy } = useAnalysis(asked)
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
          {(pane === 'Limits' || pane === 'Simulation') && targets.length > 0 && (
            <TargetChoice
              targets={targets}
              chosen={pane === 'Limits' ? asked.target : chosen}
              isOptional={pane === 'Simulation'}
              onChoose={(target) => onState(({ target: _, ...now }) => (target === '' ? now : { ...now, target }))}
            />
          )}
          {pane === 'Simulation' && <Simulated state={state} />}
          {pane === 'Findings' && analysis && (
            <Findings
              lint={analysis.lint}
              files={state.files.map((one) => one.file)}
              onFix={fix}
              onGoTo={(finding) => {
                onFile(finding.file)
                setGoTo(finding)
              }}
            />
          )}
          {pane === 'nginx configuration' && analysis && <Configuration configuration={analysis.configuration} />}
          {pane === 'Limits' && analysis && <Printed name="Limits" text={analysis.limits} />}
          {pane === 'Conditions' && analysis && <Printed name="Conditions" text={analysis.conditions} />}
        </div>
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

type TargetChoiceProps = {
  readonly targets: readonly string[]
  readonly chosen: string | undefined
  /** True where none may be chosen. */
  readonly isOptional: boolean
  onChoose(target: string): void
}

function TargetChoice({ targets, chosen = '', isOptional, onChoose }: TargetChoiceProps) {
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

/** The simulation, whose plot is loaded when it is shown. Requests to a Gateway are those to its routes. */
function Simulated({ state: { files, previous, target } }: { readonly state: PlaygroundState }) {
  const [Shown, setShown] = useState<ComponentType<SimulationProps>>()
  useEffect(() => {
    void import('../simulation/simulation.tsx').then(({ Simulation }) => setShown(() => Simulation))
  }, [])
  const route = target?.startsWith('Gateway/') ? undefined : target
  if (!Shown) return <p role="status">Loading …</p>
  return <Shown sources={files} route={route} {...(previous ? { previous } : {})} />
}
