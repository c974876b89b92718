/** The fields for made-up clients: a slider with the number beside it, for each number that one tries out. */
import { useId } from 'preact/hooks'
import {
  isRateUnit,
  isShape,
  isUsed,
  NUMBERS,
  type NumberField,
  numberProblem,
  RATE_UNITS,
  SHAPES,
  type TrafficFields,
} from './traffic.ts'

type FormProps = {
  readonly fields: TrafficFields
  onChange(fields: TrafficFields): void
}

/** Clients, rate and time; what depends on the shape stands behind it. */
const BEFORE_SHAPE = 3

export function TrafficForm({ fields, onChange }: FormProps) {
  const id = useId()
  const { shape } = fields
  const numbers = NUMBERS.filter((field) => isUsed(field, shape)).map((field) => (
    <NumberInput key={field.name} field={field} fields={fields} onChange={onChange} />
  ))
  return (
    <div class="sim-fields">
      {numbers.slice(0, BEFORE_SHAPE)}
      <div class="sim-field">
        <label for={`${id}-shape`}>Shape</label>
        <select
          id={`${id}-shape`}
          aria-describedby={`${id}-about`}
          value={shape}
          onChange={({ currentTarget: { value } }) => isShape(value) && onChange({ ...fields, shape: value })}
        >
          {Object.keys(SHAPES).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <small id={`${id}-about`}>{SHAPES[shape]}</small>
      </div>
      {numbers.slice(BEFORE_SHAPE)}
      <details class="sim-request">
        <summary>What the clients ask for</summary>
        {(['path', 'host', 'method'] as const).map((name) => (
          <div class="sim-field" key={name}>
            <label for={`${id}-${name}`}>{TEXTS[name].label}</label>
            <input
              id={`${id}-${name}`}
              placeholder={TEXTS[name].placeholder}
              value={fields[name]}
              onInput={({ currentTarget: { value } }) => onChange({ ...fields, [name]: value })}
            />
          </div>
        ))}
      </details>
    </div>
  )
}

const TEXTS = {
  path: { label: 'Path', placeholder: '/' },
  host: { label: 'Host', placeholder: 'any' },
  method: { label: 'Method', placeholder: 'GET' },
} as const

function NumberInput({ field, fields, onChange }: FormProps & { readonly field: NumberField }) {
  const id = useId()
  const { name, label, least, most, unit, stops } = field
  const text = fields[name]
  const problem = numberProblem(field, text)
  const set = (value: string) => onChange({ ...fields, [name]: value })
  return (
    <div class="sim-field">
      <label id={`${id}-label`} for={id}>
        {label}
      </label>
      {stops && (
        <input
          type="range"
          aria-labelledby={`${id}-label`}
          aria-valuetext={`${text} ${name === 'rate' ? fields.unit : (unit ?? '')}`.trim()}
          min={0}
          max={stops.length - 1}
          value={nearestStop(stops, Number(text))}
          onInput={({ currentTarget: { value } }) => set(String(stops[Number(value)]))}
        />
      )}
      <span class="sim-value">
        <input
          id={id}
          type="number"
          min={least}
          max={most}
          value={text}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
          onInput={({ currentTarget: { value } }) => set(value)}
        />
        {name === 'rate' ? <RateUnit fields={fields} onChange={onChange} /> : <span>{unit}</span>}
      </span>
      {problem && (
        <small id={`${id}-problem`} class="sim-problem">
          {problem}
        </small>
      )}
    </div>
  )
}

function RateUnit({ fields, onChange }: FormProps) {
  return (
    <select
      aria-label="Unit of the rate"
      value={fields.unit}
      onChange={({ currentTarget: { value } }) => isRateUnit(value) && onChange({ ...fields, unit: value })}
    >
      {Object.keys(RATE_UNITS).map((unit) => (
        <option key={unit}>{unit}</option>
      ))}
    </select>
  )
}

/** The position of the last stop that is not above a value. */
const nearestStop = (stops: readonly number[], value: number): number =>
  Math.max(
    0,
    stops.findLastIndex((stop) => stop <= value),
  )
