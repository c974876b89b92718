/** A driver that is killed between any two steps: nginx goes on, and the next driver comes to the same result. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { processesWriting } from '../../../src/proxy/processes.ts'
import { freePort } from '../../free-ports.ts'
import { describeNginx } from '../with-nginx.ts'
import { drive, newFolder } from './driving.ts'
import { part } from './forms.ts'

const CHILD = fileURLToPath(new URL('killed-driver.ts', import.meta.url))

const SCENARIOS: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  'a start, then a refused key': [
    { tea: part('tea', '$uri', 'uri'), milk: part('milk') },
    { tea: part('tea', '$host', 'host'), milk: part('milk', '$uri', 'v2') },
  ],
  'a key that changes as its part goes and comes': [
    { tea: part('tea', '$uri', 'uri'), milk: part('milk') },
    { milk: part('milk') },
    { tea: part('tea', '$host', 'host'), milk: part('milk') },
  ],
}

describeNginx('a driver that is killed', (program) => {
  test.each(Object.keys(SCENARIOS))('at any step of %s', async (scenario) => {
    const configurations = SCENARIOS[scenario] ?? []
    const isAlwaysThere = configurations.every((forms) => 'tea' in forms)
    const seen: string[] = []
    for (let killAt = 1; ; killAt += 1) {
      const [folder, port] = [newFolder(), await freePort()]
      const child = runChild({ nginx: program.path, folder, port, configurations, killAt })
      if (child.signal !== 'SIGKILL') {
        expect([child.status, child.stdout, child.stderr]).toEqual([0, `${killAt - 1}\n`, ''])
        break
      }
      const before = await versionAt(port, 'tea')
      const next = await drive(program, { folder, port })
      const outcome = await next.apply({ tea: part('tea', '$args', 'args'), milk: part('milk', '$uri', 'v3') })
      expect(outcome).toMatchObject({ result: 'applied' })
      expect(await next.get('milk')).toBe('v3')
      const now = await next.get('tea')
      const refused = outcome.result === 'applied' ? outcome.refused : []
      // A zone that is in use keeps its key, and its part the last accepted form; without one the new key is taken.
      expect([killAt, refused.map(({ keeps }) => keeps)]).toEqual([killAt, now === 'args' ? [] : ['last-accepted']])
      seen.push(`${before} -> ${now}`)
      await expect.poll(() => processesWriting(join(folder, 'error.log')).length).toBe(2)
      await next.driver.stop()
      expect(processesWriting(join(folder, 'error.log'))).toEqual([])
    }
    expect(seen.length).toBeGreaterThan(15)
    const states = [...new Set(seen)]
    expect(states).toContain('uri -> uri')
    // It is never without a limit, and only a zone that goes lets another key in.
    expect(states.filter((state) => /-> (?!uri|host|args)/.test(state))).toEqual([])
    if (isAlwaysThere) expect(states).not.toContain('uri -> args')
  })
})

const runChild = (options: object) =>
  spawnSync(process.execPath, [CHILD, JSON.stringify(options)], { encoding: 'utf8' })

/** What a location answers, where anything listens. */
const versionAt = async (port: number, name: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/${name}`).catch(() => undefined))?.text() ?? 'nothing'
