/** The built library runs in a real browser. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { findChromium } from '../../scripts/provide.ts'
import { lint } from '../../src/browser.ts'
import { policy } from './manifests.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const chromium = findChromium()

it.skipIf(chromium === undefined)('lints in Chromium, bundled as sluice/browser', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-chromium-'))
  try {
    const sources = [policy('10R/S')]
    const { outputFiles } = await build({
      stdin: {
        contents: `import { lint } from 'sluice/browser'
          document.title = typeof process
          document.body.textContent = JSON.stringify(lint(${JSON.stringify(sources)}))`,
        resolveDir: ROOT,
      },
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'iife',
    })
    const script = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script')
    writeFileSync(join(folder, 'page.html'), `<!doctype html><meta charset="utf-8"><body><script>${script}</script>`)
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}/profile`, '--dump-dom']
    const page = `file://${join(folder, 'page.html')}`
    const { stdout } = spawnSync(chromium ?? '', [...flags, page], { encoding: 'utf8', timeout: 240_000 })
    expect(stdout).toContain('<title>undefined</title>')
    const [, body = ''] = /<body>([\s\S]*)<\/body>/.exec(stdout) ?? []
    const decoded = body.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
    expect(JSON.parse(decoded)).toEqual(JSON.parse(JSON.stringify(lint(sources))))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
