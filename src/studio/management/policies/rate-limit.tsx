/** The form of a rate limit policy. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ACTION, HTTP_HEADER_NAME, LIMIT, THROTTLE, type ValueField } from '../../../api-management/fields.ts'
import type { JsonObject } from '../../../json/member.ts'
import { CheckField, type Said, SelectField, TextField } from '../fields.tsx'
import {
  choicesOf,
  LIMIT_WORDS,
  newStipulation,
  POLICY_FIELDS,
  POLICY_WORDS,
  type Problems,
  policyOf,
  type RateLimitForm,
  SHAPINGS,
  type Shaping,
  type Stipulation,
  THROTTLE_WORDS,
  type Words,
} from './form.ts'
import { findingsOf, hasErrors, type Judged, type SaidAt, saidOf, useFindings } from './judged.ts'
import { LIMIT_UNITS, type LimitUnit, ZONE_UNITS, type ZoneUnit } from './units.ts'

type FormProps = {
  readonly form: RateLimitForm
  /** What the form was read from. */
  readonly policy: JsonObject
  /** True where the policy is new. */
  readonly isNew: boolean
  onForm(form: RateLimitForm): void
  /** The body with a policy, and where they are in it. */
  judged(policy: JsonObject, correlationHeader: string): { readonly body: JsonObject } & Judged
  onDone(policy: JsonObject, correlationHeader: string): void
  onCancel(): void
}

/** Places that belong to the whole policy. */
const WHOLE = ['', 'limits']

export function RateLimit({ form, policy, isNew, onForm, judged, onDone, onCancel }: FormProps) {
  const [isTried, setIsTried] = useState(false)
  const around = useRef<HTMLFormElement>(null)
  useEffect(() => around.current?.querySelector('select')?.focus(), [])
  const made = policyOf(form, policy)
  const { body, ...places } = judged(made.policy, form.correlationHeader)
  const found = useFindings(body, places)
  const hasProblems = Object.keys(made.problems).length > 0
  const isWrong = hasProblems || hasErrors(found)
  // What is only missing is said when somebody wants to go on.
  const problems = isTried ? made.problems : withoutMissing(made.problems, form)
  const said = (...places: readonly string[]) => saidOf(places, problems, found)
  const change = (stipulations: readonly Stipulation[]) => onForm({ ...form, stipulations })
  return (
    <form
      ref={around}
      class="rate-limit"
      aria-label="Rate Limit"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setIsTried(true)
        const { currentTarget } = event
        // What was typed last may not have been judged yet.
        void findingsOf(JSON.stringify(body), places).then((judgedNow) => {
          if (hasProblems || hasErrors(judgedNow)) focusFirstWrong(currentTarget)
          else onDone(made.policy, form.correlationHeader)
        })
      }}
    >
      <h2>Rate Limit</h2>
      <Remarks said={said(...WHOLE)} />
      {form.stipulations.map((stipulation, index) => (
        <StipulationGroup
          key={stipulation.id}
          {...{ stipulation, index, problems, found }}
          count={form.stipulations.length}
          onChange={(next) => change(form.stipulations.map((one) => (one.id === next.id ? next : one)))}
          onRemove={() => change(form.stipulations.filter(({ id }) => id !== stipulation.id))}
          onMove={(step) => change(moved(form.stipulations, index, step))}
        />
      ))}
      <p>
        <button type="button" onClick={() => change([...form.stipulations, newStipulation(nextId(form.stipulations))])}>
          Add stipulation
        </button>
      </p>
      <div class="fields">
        {POLICY_FIELDS.map((name) => (
          <ValueControl
            key={name}
            field={ACTION[name]}
            words={POLICY_WORDS[name]}
            value={form.fields[name] ?? ''}
            said={said(name)}
            onChange={(value) => onForm({ ...form, fields: { ...form.fields, [name]: value } })}
          />
        ))}
        <TextField
          label="Correlation header"
          placeholder={HTTP_HEADER_NAME.default}
          value={form.correlationHeader}
          said={said('correlationHeader')}
          hint="Has the id of each request."
          onChange={(correlationHeader) => onForm({ ...form, correlationHeader })}
        />
      </div>
      <p class="buttons">
        <button type="submit" class="primary">
          {isNew ? 'Add' : 'Apply'}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <span role="status">{isTried && isWrong && 'Not yet: see what is said at the fields.'}</span>
      </p>
    </form>
  )
}

const nextId = (stipulations: readonly Stipulation[]): number => Math.max(0, ...stipulations.map(({ id }) => id)) + 1

function moved(stipulations: readonly Stipulation[], from: number, step: -1 | 1): readonly Stipulation[] {
  const next = [...stipulations]
  const [one] = next.splice(from, 1)
  if (one) next.splice(from + step, 0, one)
  return next
}

/** The problems but those of fields in which nothing was typed yet. */
function withoutMissing(problems: Problems, form: RateLimitForm): Problems {
  const isEmpty = (place: string) => {
    const [, index, , name] = place.split('/')
    const stipulation = form.stipulations[Number(index)]
    return (name === 'burst' || name === 'delay') && stipulation?.[name] === ''
  }
  return Object.fromEntries(Object.entries(problems).filter(([place]) => !isEmpty(place)))
}

/** The page is drawn anew before. */
const focusFirstWrong = (form: HTMLFormElement): void =>
  void setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())

type GroupProps = {
  readonly stipulation: Stipulation
  readonly index: number
  readonly count: number
  readonly problems: Problems
  readonly found: SaidAt
  onChange(stipulation: Stipulation): void
  onRemove(): void
  onMove(step: -1 | 1): void
}

function StipulationGroup({ stipulation, index, count, problems, found, onChange, onRemove, onMove }: GroupProps) {
  const said = (...names: readonly string[]) =>
    saidOf(
      names.map((name) => `limits/${index}${name}`),
      problems,
      found,
    )
  const set = (change: Partial<Stipulation>) => onChange({ ...stipulation, ...change })
  const { needs } = SHAPINGS[stipulation.shaping]
  return (
    <fieldset class="stipulation">
      <legend>Stipulation {index + 1}</legend>
      <Remarks said={said('', '/throttle', '/throttle/noDelay')} />
      <div class="fields">
        <ValueControl
          field={LIMIT.rateLimitBy}
          words={LIMIT_WORDS.rateLimitBy}
          value={stipulation.key}
          said={said('/rateLimitBy')}
          onChange={(key) => set({ key })}
        />
        <TextField
          label={LIMIT_WORDS.rate.label}
          inputMode="numeric"
          value={stipulation.limit}
          said={said('/rate')}
          onChange={(limit) => set({ limit })}
        />
        <SelectField
          label="Limit unit"
          value={stipulation.limitUnit}
          options={Object.keys(LIMIT_UNITS)}
          onChange={(unit) => isLimitUnit(unit) && set({ limitUnit: unit })}
        />
        <TextField
          label={LIMIT_WORDS.zoneSize.label}
          inputMode="numeric"
          value={stipulation.zoneSize}
          said={said('/zoneSize')}
          onChange={(zoneSize) => set({ zoneSize })}
        />
        <SelectField
          label="Zone size unit"
          value={stipulation.zoneUnit}
          options={Object.keys(ZONE_UNITS)}
          onChange={(unit) => isZoneUnit(unit) && set({ zoneUnit: unit })}
        />
      </div>
      <ShapingChoice stipulation={stipulation} onChange={(shaping) => set({ shaping })} />
      {needs.length > 0 && (
        <div class="fields">
          {needs.map((name) => (
            <ValueControl
              key={name}
              field={THROTTLE[name]}
              words={THROTTLE_WORDS[name]}
              value={stipulation[name]}
              said={said(`/throttle/${name}`)}
              onChange={(value) => set({ [name]: value })}
            />
          ))}
        </div>
      )}
      <p class="buttons">
        <button type="button" disabled={index === 0} onClick={() => onMove(-1)}>
          Move up
        </button>
        <button type="button" disabled={index === count - 1} onClick={() => onMove(1)}>
          Move down
        </button>
        <button type="button" onClick={onRemove}>
          Remove
        </button>
      </p>
    </fieldset>
  )
}

type ValueProps = {
  readonly field: ValueField
  readonly words: Words
  readonly value: string
  readonly said: readonly Said[]
  onChange(value: string): void
}

/** The control for a field of the table. The default is shown where the stored form does not have it anyway. */
function ValueControl({ field, words, ...props }: ValueProps) {
  const choices = choicesOf(field)
  if (field.type === 'boolean')
    return (
      <CheckField
        label={words.label}
        checked={props.value === 'true'}
        onChange={(isChecked) => props.onChange(isChecked ? 'true' : '')}
      />
    )
  const { type, isStored, default: preset } = field
  if (choices) return <SelectField {...words} {...props} options={choices} />
  const placeholder = isStored || preset === undefined ? {} : { placeholder: String(preset) }
  return <TextField {...words} {...props} {...placeholder} inputMode={type === 'integer' ? 'numeric' : 'text'} />
}

const isLimitUnit = (text: string): text is LimitUnit => text in LIMIT_UNITS
const isZoneUnit = (text: string): text is ZoneUnit => text in ZONE_UNITS

type ShapingProps = { readonly stipulation: Stipulation; onChange(shaping: Shaping): void }

function ShapingChoice({ stipulation: { id, shaping }, onChange }: ShapingProps) {
  return (
    <div class="choices" role="radiogroup" aria-label="Requests above the limit">
      {Object.entries(SHAPINGS).map(([name, { label }]) => (
        <label key={name} class="check">
          <input
            type="radio"
            name={`shaping-${id}`}
            checked={shaping === name}
            onChange={() => onChange(name as Shaping)}
          />
          {label}
        </label>
      ))}
    </div>
  )
}

function Remarks({ said }: { readonly said: readonly Said[] }) {
  return (
    <>
      {said.map(({ severity, text }) => (
        <p key={text} class={`said ${severity}`}>
          {text}
        </p>
      ))}
    </>
  )
}
