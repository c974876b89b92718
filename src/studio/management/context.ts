/** What every view of the management API has: the API, who is signed in, and what happens at the server. */
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import { type Api, ApiProblem, type Remark, type Session, Unreachable, wordsOf } from './api.ts'
import { LIVE, type ServerEvent } from './events.ts'

export type Management = {
  readonly api: Api
  readonly session: Session
  /** Calls a function for each event, until the function that it returns is called. */
  subscribe(listener: (event: ServerEvent) => void): () => void
}

export const ManagementContext = createContext<Management | undefined>(undefined)

/** Throws outside of the view of the management API. */
export function useManagement(): Management {
  const management = useContext(ManagementContext)
  if (!management) throw new Error('there is no management API here')
  return management
}

/** True where the roles of the user allow to change the workspace; without one: to manage everything. */
export const mayChange = ({ roles }: Session, workspace?: string): boolean =>
  roles.includes('administrator') || (workspace !== undefined && roles.includes(`editor:${workspace}`))

/** What was read; the problem where it could not be; neither while it is read for the first time. */
export type Loaded<Value> = { readonly value?: Value; readonly problem?: string; reload(): void }

/**
 * Reads something when it is first shown, when it was touched by an event, and when events begin again. `key` says what is read.
 */
export function useLoaded<Value>(
  key: string,
  read: () => Promise<Value>,
  isTouchedBy: (event: ServerEvent) => boolean,
): Loaded<Value> {
  const { subscribe } = useManagement()
  const [state, setState] = useState<State<Value>>({ key })
  const again = useRef(() => {})
  const reload = useCallback(() => again.current(), [])
  useEffect(() => {
    let isWanted = true
    let isRunning = false
    let isOld = false
    // Many events may come at once: what is read meanwhile is read once more, not once for each.
    const load = () => {
      isOld = isRunning
      if (isRunning) return
      isRunning = true
      read()
        .then(
          (value) => isWanted && setState({ key, value }),
          (error: unknown) => isWanted && setState((before) => afterFailure(before, key, error)),
        )
        .finally(() => {
          isRunning = false
          if (isOld && isWanted) load()
        })
    }
    again.current = load
    load()
    const stop = subscribe((event) => {
      if (event.type !== LIVE && (event.type === 'reset' || isTouchedBy(event))) load()
    })
    return () => {
      isWanted = false
      stop()
    }
  }, [key, subscribe])
  const { value, problem } = state.key === key ? state : {}
  return { ...(value === undefined ? {} : { value }), ...(problem === undefined ? {} : { problem }), reload }
}

type State<Value> = { readonly key: string; readonly value?: Value; readonly problem?: string }

/** What was read before is better than nothing, as long as the server does not answer. */
const afterFailure = <Value>(before: State<Value>, key: string, error: unknown): State<Value> =>
  error instanceof Unreachable && before.key === key && before.value !== undefined
    ? before
    : { key, problem: wordsOf(error) }

/** Runs what a button starts: once at a time, with the problem where it fails. */
export function useAction(): {
  readonly isBusy: boolean
  readonly problem: string
  /** What the server said about parts of what was sent. */
  readonly remarks: readonly Remark[]
  run(action: () => Promise<unknown>): void
  clear(): void
} {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const [remarks, setRemarks] = useState<readonly Remark[]>([])
  const clear = () => {
    setProblem('')
    setRemarks([])
  }
  return {
    isBusy,
    problem,
    remarks,
    clear,
    run(action) {
      if (isBusy) return
      setIsBusy(true)
      clear()
      action()
        .catch((error: unknown) => {
          setProblem(wordsOf(error))
          if (error instanceof ApiProblem) setRemarks(error.remarks)
        })
        .finally(() => setIsBusy(false))
    },
  }
}
