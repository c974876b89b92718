/** The form of a policy that is open, as those see it who would store what it belongs to. */
import { useEffect, useState } from 'preact/hooks'
import { keptIn } from '../../kept.ts'

/** Where the form of a proxy or an environment is kept. */
export const formKey = (name: string): string => `rate limit ${name}`

/** Milliseconds in which rules judge a policy that was added. */
const PATIENCE = 1_000

/**
 * A function that starts an action once no form is open. One that stays open, as somebody is typing in it, is told instead:
 * what is in it would be left out.
 */
export function useAfterForm<What>(name: string, act: (what: What) => void, tell: (words: string) => void) {
  const [wanted, setWanted] = useState<{ readonly what: What }>()
  // Of the time when this was drawn: what the form has made is in the closure of `act` then, and not before.
  const isOpen = keptIn(formKey(name)) !== undefined
  useEffect(() => {
    if (!wanted) return
    if (!isOpen) {
      setWanted(undefined)
      return act(wanted.what)
    }
    const patience = setTimeout(() => {
      setWanted(undefined)
      tell('A rate limit is open: add it, or cancel it, before.')
    }, PATIENCE)
    return () => clearTimeout(patience)
  })
  return (what: What) => setWanted({ what })
}
