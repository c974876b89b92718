/** Questions whose answers come later: only the newest one is answered. */
import { useLayoutEffect, useState } from 'preact/hooks'

/** What the library answers to the newest question, and until then what it answered to the one before. */
export function useAnswer<Value>(ask: () => Promise<Value>, inputs: readonly unknown[]): Value | undefined {
  const [answer, setAnswer] = useState<{ readonly value: Value }>()
  useNewest(ask, (value) => setAnswer({ value }), inputs)
  return answer?.value
}

/**
 * Asks when an input changes. An answer that comes after the next question is dropped. The question does not wait for the
 * next frame of the page: that would be most of the time from a key stroke to its findings.
 */
export function useNewest<Value>(
  ask: () => Promise<Value>,
  use: (value: Value) => void,
  inputs: readonly unknown[],
): void {
  useLayoutEffect(() => {
    const isNewest = { value: true }
    void ask().then((value) => isNewest.value && use(value))
    return () => {
      isNewest.value = false
    }
  }, [...inputs])
}
