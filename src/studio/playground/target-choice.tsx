/** Which route, Gateway or API proxy is looked at. */
import { useMemo } from 'preact/hooks'
import { type PlaygroundState, targetsIn } from './state.ts'

/** Those in the files, and the one that is chosen although it is not in them. */
export function useTargets({ files, target }: PlaygroundState): readonly string[] {
  const found = useMemo(() => targetsIn(files), [files])
  return target === undefined || found.includes(target) ? found : [target, ...found]
}

export type TargetChoiceProps = {
  readonly state: PlaygroundState
  onState(change: (state: PlaygroundState) => PlaygroundState): void
  /** True where none may be chosen. */
  readonly isOptional: boolean
}

export function TargetChoice({ state, isOptional, onState }: TargetChoiceProps) {
  const targets = useTargets(state)
  if (targets.length === 0) return null
  const choose = (chosen: string) =>
    onState(({ target: _, ...now }) => (chosen === '' ? now : { ...now, target: chosen }))
  return (
    <label>
      Requests to{' '}
      <select
        value={state.target ?? (isOptional ? '' : targets[0])}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {isOptional && <option value="">whichever route takes them</option>}
        {targets.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
