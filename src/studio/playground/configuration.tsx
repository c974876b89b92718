/** The nginx configuration, and the limits of the chosen route: what is chosen in one is marked in the other. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { TextSource } from '../../browser.ts'
import { library } from '../library/library.ts'
import { Scrolled } from '../scrolled.tsx'
import { useAnswer } from '../use-answer.ts'
import { configurationParts, READ_AS } from './analysis.ts'
import { Limits } from './limits.tsx'
import { limitAt, type Range } from './manifest-places.ts'
import { Problems } from './panes.tsx'
import { TargetChoice, type TargetChoiceProps, useTargets } from './target-choice.tsx'

export type LimitsAndConfigurationProps = Omit<TargetChoiceProps, 'isOptional'> & {
  /** The files as they were judged. */
  readonly files: readonly TextSource[]
  /** True for the limits above the configuration. */
  readonly hasLayers: boolean
  /** Where the cursor is. */
  readonly place: EditorPlace
  /** Shows a range in the editor. */
  onPoint(range: Range): void
}

/** A UTF-16 offset in a file. */
export type EditorPlace = { readonly file: string; readonly offset: number }

/** The configuration, and above it in the pane of limits the layers. The limit that is chosen in one is marked in all. */
export function LimitsAndConfiguration({
  hasLayers,
  files,
  state,
  place,
  onState,
  onPoint,
}: LimitsAndConfigurationProps) {
  const [marked, setMarked] = useState('')
  const zone = useZoneAt(files, place)
  useEffect(() => {
    if (zone !== undefined) setMarked(zone)
  }, [zone])
  const targets = useTargets(state)
  return (
    <>
      {hasLayers && (
        <>
          <TargetChoice state={state} isOptional={false} onState={onState} />
          <Limits
            files={files}
            target={state.target ?? targets[0]}
            marked={marked}
            onChoose={({ zone: of, at }) => {
              setMarked(of)
              if (at) onPoint(at)
            }}
          />
        </>
      )}
      <Configuration files={files} marked={marked} onMark={setMarked} />
    </>
  )
}

/** The zone of the limit that the cursor is in; undefined where it is in none, or the limit has no zone. */
function useZoneAt(files: readonly TextSource[], { file, offset }: EditorPlace): string | undefined {
  const found = useMemo(() => {
    const text = files.find((one) => one.file === file)?.text
    return text === undefined ? undefined : limitAt(text, offset)
  }, [files, file, offset])
  return useAnswer(async () => {
    const answer = found && (await library().effective(files, found.target, READ_AS))
    if (!answer?.ok || !('requestPaths' in answer.value)) return undefined
    const limits = answer.value.requestPaths.flatMap((path) => path.limits)
    const { policy, index } = found?.limit ?? {}
    return limits.find((one) => one.policy.name === policy?.name && one.index === index)?.zone
  }, [files, JSON.stringify(found)])
}

/** The configuration of each Gateway. Lines about the chosen limit are marked. */
function Configuration({ files, marked, onMark }: ConfigurationProps) {
  const answer = useAnswer(() => library().render(files, READ_AS), [files])
  if (!answer?.ok) return <Problems result={answer} />
  const parts = configurationParts(answer.value)
  const zones = [...new Set(parts.flatMap(({ text }) => text.split('\n').flatMap((line) => zoneIn(line) ?? [])))]
  return (
    <section aria-label="nginx configuration">
      <label>
        Mark the limit{' '}
        <select
          value={zones.includes(marked) ? marked : ''}
          onChange={({ currentTarget }) => onMark(currentTarget.value)}
        >
          <option value="">none</option>
          {zones.map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </select>
      </label>
      {parts.map(({ title, text }) => (
        <div key={title}>
          <h2>{title}</h2>
          <Lines text={text} marked={marked} title={title} />
        </div>
      ))}
      {answer.value.notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
    </section>
  )
}

type ConfigurationProps = {
  readonly files: readonly TextSource[]
  /** The zone of the limit whose directives are marked; empty for none. */
  readonly marked: string
  onMark(zone: string): void
}

/** The zone that a directive names. */
const zoneIn = (line: string): string | undefined => /\bzone="?([\w-]+)/.exec(line)?.[1]

function Lines({ text, marked, title }: { readonly text: string; readonly marked: string; readonly title: string }) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    const first = box.current?.querySelector('mark')
    if (box.current && first) box.current.scrollTop = first.offsetTop - box.current.clientHeight / 3
  }, [text, marked])
  return (
    <Scrolled class="play-text" label={`Configuration of ${title}`} box={box}>
      <pre>
        {text
          .split('\n')
          .map((line, index) =>
            marked !== '' && zoneIn(line) === marked ? <mark key={index}>{`${line}\n`}</mark> : `${line}\n`,
          )}
      </pre>
    </Scrolled>
  )
}
