/** `sluice serve studio` as a process of its own. */
import { afterAll, beforeAll } from 'vitest'
import { serve } from '../serving.ts'

type Studio = {
  /** Ends with a slash. */
  readonly url: string
  stop(): Promise<unknown>
}

/** Starts it on a free port. */
export async function startStudio(): Promise<Studio> {
  const { port, stop } = await serve('studio', ['--port', '0'])
  return { url: `http://127.0.0.1:${port}/`, stop }
}

/** Has it for the tests of the file. */
export function useStudio(): Pick<Studio, 'url'> {
  let studio: Studio
  beforeAll(async () => {
    studio = await startStudio()
  })
  afterAll(() => studio?.stop())
  return {
    get url() {
      return studio.url
    },
  }
}
