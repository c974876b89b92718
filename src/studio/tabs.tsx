/** Tabs, with the keys that people expect. Source: ARIA Authoring Practices, "Tabs". */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type TabsProps<Name extends string> = {
  /** The accessible name of the list. */
  readonly label: string
  readonly names: readonly Name[]
  readonly chosen: Name
  onChoose(name: Name): void
  /** What the chosen one shows. */
  readonly children: ComponentChildren
}

export function Tabs<Name extends string>({ label, names, chosen, onChoose, children }: TabsProps<Name>) {
  const id = useId()
  const tabId = (name: Name) => `${id}-${names.indexOf(name)}`
  const move = (key: string) => {
    const at = names.indexOf(chosen)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[key]
    const next = to === undefined ? undefined : names[(to + names.length) % names.length]
    if (next === undefined) return
    onChoose(next)
    document.getElementById(tabId(next))?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={tabId(name)}
            aria-selected={chosen === name}
            aria-controls={`${id}-panel`}
            tabIndex={chosen === name ? 0 : -1}
            onClick={() => onChoose(name)}
            onKeyDown={({ key }) => move(key)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="panel" id={`${id}-panel`} role="tabpanel" aria-labelledby={tabId(chosen)}>
        {children}
      </div>
    </>
  )
}
