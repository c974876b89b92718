/** Fields of forms: a label, what is typed, and what is wrong with it, linked for screen readers. */
import type { ComponentChildren, JSX, TargetedInputEvent } from 'preact'
import { useId } from 'preact/hooks'
import type { Remark } from './api.ts'

/** What is said of a field. */
export type Said = { readonly severity: 'error' | 'warning' | 'info'; readonly text: string }

/** What the server said about a field, and about what is in it. */
export const saidAt = (remarks: readonly Remark[], pointer: string): readonly Said[] =>
  remarks
    .filter((remark) => remark.pointer === pointer || remark.pointer.startsWith(`${pointer}/`))
    .map(({ message, remedy }) => ({ severity: 'error', text: `${message}. ${remedy}` }))

type Common = {
  readonly label: string
  /** What is wrong with the value, or worth knowing. */
  readonly said?: readonly Said[]
  readonly hint?: ComponentChildren
}

type AroundProps = Common & { readonly said: readonly Said[] }

type Described = { readonly id: string; readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: true }

function useDescribed({ said, hint }: Pick<AroundProps, 'said' | 'hint'>): Described {
  const id = useId()
  const ids = [...(hint === undefined ? [] : [`${id}-hint`]), ...said.map((_, index) => `${id}-said-${index}`)]
  return {
    id,
    ...(ids.length > 0 ? { 'aria-describedby': ids.join(' ') } : {}),
    ...(said.some(({ severity }) => severity === 'error') ? { 'aria-invalid': true } : {}),
  }
}

function Around({
  described: { id },
  label,
  said,
  hint,
  children,
}: AroundProps & { readonly described: Described; readonly children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint !== undefined && (
        <small id={`${id}-hint`} class="muted">
          {hint}
        </small>
      )}
      {said.map(({ severity, text }, index) => (
        <small key={text} id={`${id}-said-${index}`} class={`said ${severity}`}>
          {text}
        </small>
      ))}
    </div>
  )
}

type TextProps = Common & {
  readonly type?: 'text' | 'password'
  readonly value: string
  onChange(value: string): void
} & Pick<JSX.IntrinsicElements['input'], 'autocomplete' | 'required' | 'inputMode' | 'placeholder' | 'disabled'>

/** A line of text. */
export function TextField({ label, said = [], hint, type = 'text', value, onChange, ...input }: TextProps) {
  const described = useDescribed({ said, hint })
  const onInput = ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => onChange(currentTarget.value)
  const all = { ...described, ...input, value, spellcheck: false, onInput }
  return (
    <Around described={described} label={label} hint={hint} said={said}>
      {type === 'password' ? <input type="password" {...all} /> : <input {...all} />}
    </Around>
  )
}

type SelectProps = Common & {
  readonly value: string
  readonly options: readonly string[]
  onChange(value: string): void
}

/** One of some values. A value that is not among them is shown all the same. */
export function SelectField({ label, said = [], hint, value, options, onChange }: SelectProps) {
  const described = useDescribed({ said, hint })
  return (
    <Around described={described} label={label} hint={hint} said={said}>
      <select {...described} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {[...(options.includes(value) ? [] : [value]), ...options].map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </Around>
  )
}

type CheckProps = { readonly label: string; readonly checked: boolean; onChange(checked: boolean): void }

/** Yes or no. */
export function CheckField({ label, checked, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {label}
    </label>
  )
}

/** What went wrong, said at once. */
export function Failure({ text }: { readonly text: string | undefined }) {
  return <div role="alert">{text !== undefined && text !== '' && <p class="failure">{text}</p>}</div>
}
