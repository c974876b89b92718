/** A part of a page that scrolls by itself: what can be scrolled must be reached by the keyboard, and has a name then. */
import type { ComponentChildren, RefObject } from 'preact'

type ScrolledProps = {
  readonly label: string
  readonly class: string
  readonly children: ComponentChildren
  /** The element, for who scrolls it. */
  readonly box?: RefObject<HTMLElement | null>
}

export function Scrolled({ label, class: style, children, box }: ScrolledProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by the keyboard
    <section class={style} tabIndex={0} aria-label={label} {...(box ? { ref: box } : {})}>
      {children}
    </section>
  )
}
