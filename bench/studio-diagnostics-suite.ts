/** The editor of the playground in a browser: how long a mistake takes from the key stroke to its mark. */
import { toFragment } from '../src/studio/playground/state.ts'
import { type Page, startBrowser } from '../test/browser/chromium.ts'
import { startStudio } from '../test/browser/studio-server.ts'
import { median } from './measure.ts'
import type { Measured, Suite } from './suite.ts'

const LINES = 500
const KEY_STROKES = 50
/** Milliseconds. */
const MOST = 30

export const STUDIO_DIAGNOSTICS_SUITE: Suite = {
  name: 'studio-diagnostics',
  what: `a mistake in ${LINES} lines of the playground, from the key stroke until it is marked in the editor in Chromium`,
  bar: `${MOST} ms`,
  async measure() {
    const [browser, studio] = await Promise.all([startBrowser(), startStudio()])
    try {
      const file = { file: 'shop.yaml', text: manifests() }
      const page = await browser.open(`${studio.url}playground#${await toFragment({ files: [file] })}`)
      return await measureMarks(page)
    } finally {
      await studio.stop()
      await browser.stop()
    }
  },
}

const GATEWAY = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec:
  gatewayClassName: nginx
  listeners: [{ name: http, port: 80, protocol: HTTP }]
`

const routeWithPolicy = (name: string): string => `---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: ${name}, namespace: shop }
spec:
  parentRefs: [{ name: edge }]
  rules:
  - matches: [{ path: { type: PathPrefix, value: /${name} } }]
    backendRefs: [{ name: ${name}, port: 80 }]
---
apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata:
  name: ${name}
  namespace: shop
spec:
  targetRefs:
  - { group: gateway.networking.k8s.io, kind: HTTPRoute, name: ${name} }
  rateLimit:
    rejectCode: 429
    local:
      rules:
      - key: $binary_remote_addr
        zoneSize: 10m
        burst: 20
        delay: 8
        rate: 10r/s
`

/** A Gateway, and as many routes with a policy each as fit; it ends with a rate. */
function manifests(): string {
  let text = GATEWAY
  for (let number = 1; ; number += 1) {
    const more = text + routeWithPolicy(`route-${number}`)
    if (more.split('\n').length > LINES + 1) return text.trimEnd()
    text = more
  }
}

/** Writes and takes away the same wrong character. Only the strokes that make a mistake count. */
async function measureMarks(page: Page): Promise<Measured> {
  await page.getByText('Nothing to report.').waitFor()
  await page.getByRole('textbox', { name: 'Manifest' }).focus()
  await page.keyboard.press('Control+End')
  const milliseconds: number[] = []
  // The first ten compile.
  for (let stroke = -10; stroke < KEY_STROKES; stroke += 1) {
    await page.evaluate(watchFor(1))
    await page.keyboard.press('x')
    const taken = Number(await page.evaluate('watched'))
    if (stroke >= 0) milliseconds.push(taken)
    await page.evaluate(watchFor(0))
    await page.keyboard.press('Backspace')
    await page.evaluate('watched')
  }
  const middle = median(milliseconds)
  const slowest = Math.max(...milliseconds).toFixed(0)
  return {
    figure: `${middle.toFixed(1)} ms`,
    kept: middle <= MOST,
    details: `median of ${KEY_STROKES} key strokes; the slowest ${slowest} ms`,
  }
}

/** For the page: `watched` is a promise of the milliseconds from the next key stroke until so many mistakes are marked. */
const watchFor = (marks: number): string => `
  globalThis.watched = new Promise((resolve) => {
    let begun
    addEventListener('keydown', () => { begun = performance.now() }, { once: true, capture: true })
    const root = document.querySelector('.play-editor').shadowRoot
    new MutationObserver((_, observer) => {
      if (root.querySelectorAll('.cm-lintRange-error').length !== ${marks}) return
      observer.disconnect()
      resolve(performance.now() - begun)
    }).observe(root, { childList: true, subtree: true })
  })
  undefined`
