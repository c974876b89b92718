/** The page of the studio in a browser that has never seen it: until its first view shows, and what it loads. */
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { listen } from '../src/http/listen.ts'
import { startBrowser } from '../test/browser/chromium.ts'
import { startStudio } from '../test/browser/studio-server.ts'
import { median } from './measure.ts'
import type { Measured, Suite } from './suite.ts'

/** Milliseconds. */
const MOST_TIME = 300
/** Kilobytes, compressed. */
const FIRST_VIEW = 120
const ALL = 450

const ASSETS = 'dist/studio/assets'

export const STUDIO_VIEW_SUITE: Suite = {
  name: 'studio-view',
  what: 'the playground in a fresh profile of Chromium, from the start of the navigation until it shows',
  bar: `${MOST_TIME} ms`,
  async measure(_folder, runs) {
    const studio = await startStudio()
    const bare = createServer((_request, response) => response.end('<title>x</title><h1>Playground</h1>'))
    const port = await listen(bare, { host: '127.0.0.1', port: 0 })
    try {
      const shown: View[] = []
      const peers: View[] = []
      for (let run = 0; run < runs; run += 1) {
        shown.push(await open(`${studio.url}playground`))
        peers.push(await open(`http://127.0.0.1:${port}/`))
      }
      const middle = median(shown.map(({ milliseconds }) => milliseconds))
      const peer = median(peers.map(({ milliseconds }) => milliseconds))
      return {
        figure: `${Math.round(middle)} ms`,
        kept: middle <= MOST_TIME,
        details: `median of ${runs} fresh profiles; a page of one heading ${Math.round(peer)} ms, ${(middle / peer).toFixed(1)} times as fast`,
        beside: [weightOfView(shown), weightOfAll()],
      }
    } finally {
      await studio.stop()
      bare.close()
    }
  },
}

type View = { readonly milliseconds: number; readonly bytes: number }

/** Opens an address in a browser without a cache. */
async function open(url: string): Promise<View> {
  const browser = await startBrowser()
  try {
    await browser.context.addInitScript(WATCH)
    const page = await browser.context.newPage()
    await page.goto(url)
    return (await page.evaluate('shown')) as View
  } finally {
    await browser.stop()
  }
}

/** For the page: when its first heading is painted, and the bytes of what was asked for before. */
const WATCH = `
  globalThis.shown = new Promise((resolve) => {
    const look = () => {
      if (!document.querySelector('h1')) return requestAnimationFrame(look)
      requestAnimationFrame(() => setTimeout(() => {
        const milliseconds = performance.now()
        const asked = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        const bytes = asked
          .filter(({ startTime, responseEnd }) => startTime < milliseconds && responseEnd > 0)
          .filter(({ initiatorType, name }) => !/worker-/.test(name))
          .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
        resolve({ milliseconds, bytes })
      }))
    }
    look()
  })`

function weightOfView(shown: readonly View[]): Measured & Pick<Suite, 'what' | 'bar'> {
  const most = Math.max(...shown.map(({ bytes }) => bytes)) / 1000
  return {
    what: 'what it has loaded then, compressed',
    bar: `${FIRST_VIEW} kB`,
    figure: `${most.toFixed(0)} kB`,
    kept: most <= FIRST_VIEW,
    details: 'HTML, CSS and JavaScript that were there, or on their way, without the worker with the rules',
  }
}

function weightOfAll(): Measured & Pick<Suite, 'what' | 'bar'> {
  const files = readdirSync(ASSETS).filter((name) => name.endsWith('.br'))
  const all = files.reduce((sum, name) => sum + statSync(join(ASSETS, name)).size, 0) / 1000
  return {
    what: 'everything that the page can load, compressed',
    bar: `${ALL} kB`,
    figure: `${all.toFixed(0)} kB`,
    kept: all <= ALL,
    details: `${files.length} files, with Brotli`,
  }
}
