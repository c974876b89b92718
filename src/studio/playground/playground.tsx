/** Manifests in an editor, and what they mean, while one types. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { ViewProps } from '../view.ts'
import { EXAMPLES, FIRST_TARGET } from './examples.ts'
import { fromFragment, type PlaygroundState, toFragment } from './state.ts'
import { Workspace } from './workspace.tsx'

const FIRST: PlaygroundState = { files: EXAMPLES[0]?.files ?? [], target: FIRST_TARGET }

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
