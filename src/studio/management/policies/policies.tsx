/** The policies of a proxy or of an environment: a list, and the form of the one that is edited. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { JsonObject } from '../../../json/member.ts'
import { useKept } from '../../use-kept.ts'
import {
  CORRELATION_HEADER_AT,
  correlationHeaderIn,
  rateLimitsIn,
  withCorrelationHeader,
  withoutRateLimit,
  withRateLimit,
} from './body.ts'
import { describePolicy, formOf, newForm, type RateLimitForm } from './form.ts'
import { formKey } from './open-form.ts'
import { RateLimit } from './rate-limit.tsx'

type PoliciesProps = {
  /** Keeps what is typed apart from that of others. */
  readonly name: string
  readonly policies: JsonObject
  /** Of new policies: for one proxy, or for all of an environment. */
  readonly context: 'proxy' | 'global'
  readonly mayEdit: boolean
  onChange(policies: JsonObject): void
  /** The body with these policies, and where the policies are in it. */
  bodyWith(policies: JsonObject): { readonly body: JsonObject; readonly pointer: string }
}

/** The form that is open, and which policy it is about. */
type Open = { readonly index: number; readonly isNew: boolean; readonly form: RateLimitForm }

export function Policies({ name, policies, context, mayEdit, onChange, bodyWith }: PoliciesProps) {
  const [open, setOpen] = useKept<Open | undefined>(formKey(name), undefined)
  const limits = rateLimitsIn(policies)
  const header = correlationHeaderIn(policies)
  if (open && mayEdit) {
    const { index, isNew, form } = open
    const policy = isNew ? { systemMetadata: { appliedOn: 'inbound', context } } : (limits[index] ?? {})
    const changed = (next: JsonObject, correlationHeader: string) =>
      withCorrelationHeader(withRateLimit(policies, index, next), correlationHeader)
    return (
      <RateLimit
        {...{ form, policy, isNew }}
        onForm={(next) => setOpen({ ...open, form: next })}
        judged={(next, correlationHeader) => {
          const { body, pointer } = bodyWith(changed(next, correlationHeader))
          return {
            body,
            action: `${pointer}/rate-limit/${index}/action`,
            correlationHeader: pointer + CORRELATION_HEADER_AT,
          }
        }}
        onDone={(next, correlationHeader) => {
          onChange(changed(next, correlationHeader))
          setOpen(undefined)
        }}
        onCancel={() => setOpen(undefined)}
      />
    )
  }
  const others = Object.keys(policies).filter((kind) => kind !== 'rate-limit')
  return (
    <>
      {limits.length === 0 && <p>There is no rate limit yet.</p>}
      <ul class="cards" aria-label="Rate limits">
        {limits.map((policy, index) => (
          <li key={index}>
            <span>
              <strong>Rate Limit {index + 1}</strong> {describePolicy(policy)}
            </span>
            {mayEdit && (
              <span class="buttons">
                <button type="button" onClick={() => setOpen({ index, isNew: false, form: formOf(policy, header) })}>
                  Edit Rate Limit {index + 1}
                </button>
                <button type="button" onClick={() => onChange(withoutRateLimit(policies, index))}>
                  Remove Rate Limit {index + 1}
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {others.length > 0 && <p class="muted">Other policies, which stay as they are: {others.join(', ')}.</p>}
      {mayEdit && (
        <AddPolicy onRateLimit={() => setOpen({ index: limits.length, isNew: true, form: newForm(header) })} />
      )}
    </>
  )
}

/** A button with a menu. Source: ARIA Authoring Practices, "Menu Button". */
function AddPolicy({ onRateLimit }: { onRateLimit(): void }) {
  const [isOpen, setIsOpen] = useState(false)
  const around = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isOpen) around.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
  }, [isOpen])
  const close = () => {
    setIsOpen(false)
    around.current?.querySelector('button')?.focus()
  }
  return (
    <div
      class="menu-button"
      ref={around}
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && around.current?.contains(relatedTarget))) setIsOpen(false)
      }}
    >
      <button
        type="button"
        class="primary"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setIsOpen(true)
        }}
      >
        Add Policy
      </button>
      {isOpen && (
        <div role="menu" aria-label="Add Policy" class="menu">
          <button
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={onRateLimit}
            onKeyDown={({ key }) => {
              if (key === 'Escape' || key === 'Tab') close()
            }}
          >
            Rate Limit
          </button>
        </div>
      )}
    </div>
  )
}
