/** Manifests in an editor, and what they mean, while one types. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { ViewProps } from '../view.ts'
import { EXAMPLES, FIRST_TARGET } from './examples.ts'
import {
  draftFor,
  dropDraft,
  fromFragment,
  keepDraft,
  type PlaygroundDraft,
  type PlaygroundState,
  toFragment,
} from './state.ts'
import { Workspace } from './workspace.tsx'

const FIRST: PlaygroundState = { files: EXAMPLES[0]?.files ?? [], target: FIRST_TARGET }

export function Playground({ fragment }: ViewProps) {
  const { shown, isRestored, isLost, problem, change, choose, drop } = usePlayground(fragment)
  const { state, file } = shown()
  const edit = useCallback(
    (next: (now: PlaygroundState) => PlaygroundState) => change({ state: next(shown().state) }),
    [change, shown],
  )
  return (
    <>
      <h1>Playground</h1>
      <div role="alert">
        {problem !== '' && <p class="play-error">{problem}</p>}
        {isLost && (
          <p class="play-error">
            These files are too large to be kept in this tab: copy them, or the link, before you leave the page.
          </p>
        )}
      </div>
      {isRestored && (
        <p role="status">
          What you had changed in this tab is shown again.{' '}
          <button type="button" onClick={drop}>
            Drop my changes
          </button>
        </p>
      )}
      <Toolbar
        state={state}
        onOpen={(next) => change({ state: next, file: firstFile(next) })}
        onLink={(link) => change({ link })}
      />
      <Workspace state={state} file={file} onState={edit} onFile={choose} />
    </>
  )
}

/** What is shown: the changes that were kept, else what the link has, else the first example. */
function usePlayground(fragment: string) {
  const [restored] = useState(() => draftFor(fragment))
  const [isRestored, setIsRestored] = useState(restored !== undefined)
  const [isLost, setIsLost] = useState(false)
  const [problem, setProblem] = useState('')
  const [, draw] = useState({})
  // Several changes may come before the next one is drawn.
  const newest = useRef(restored ?? begun('', FIRST))
  const shown = useCallback(() => newest.current, [])
  const show = useCallback((next: PlaygroundDraft) => {
    newest.current = next
    draw({})
  }, [])
  const change = useCallback(
    (next: Partial<PlaygroundDraft>) => {
      show({ ...newest.current, ...next })
      setIsLost(!keepDraft(newest.current))
    },
    [show],
  )
  const openLink = useCallback(
    (link: string) =>
      fromFragment(link).then(
        (found) => {
          show(begun(link, found))
          setProblem('')
        },
        (error: unknown) => {
          // What is changed from here on belongs to this address.
          show({ ...newest.current, link })
          setProblem(error instanceof Error ? error.message : String(error))
        },
      ),
    [show],
  )
  useEffect(() => {
    if (fragment === '' || fragment === newest.current.link) return
    const draft = draftFor(fragment)
    setIsRestored(draft !== undefined)
    if (draft) show(draft)
    else void openLink(fragment)
  }, [fragment, show, openLink])
  return {
    ...{ shown, isRestored, isLost, problem, change },
    choose: (file: string) => (draftFor('') ? change({ file }) : show({ ...newest.current, file })),
    drop() {
      const { link } = newest.current
      dropDraft()
      setIsRestored(false)
      show(begun('', FIRST))
      if (link !== '') void openLink(link)
    },
  }
}

const firstFile = ({ files }: PlaygroundState): string => files[0]?.file ?? ''

/** A state as a link has it, without changes. */
const begun = (link: string, state: PlaygroundState): PlaygroundDraft => ({ link, state, file: firstFile(state) })

type ToolbarProps = {
  readonly state: PlaygroundState
  onOpen(state: PlaygroundState): void
  /** The address has a link with the state. */
  onLink(fragment: string): void
}

function Toolbar({ state, onOpen, onLink }: ToolbarProps) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    const fragment = await toFragment(state)
    const link = `${location.origin}${location.pathname}#${fragment}`
    history.replaceState(null, '', link)
    onLink(fragment)
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
