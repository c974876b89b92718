/** API proxies with their rate limit policies, through the management API on the same address. */
import type { ViewProps } from '../view.ts'

export function Management(_props: ViewProps) {
  return <h1>Services</h1>
}
