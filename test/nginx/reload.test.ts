/** The rule about changed keys reports exactly the policies that a running nginx refuses to reload. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Draft } from '../rules/policies.ts'
import { casesOf } from '../support/cases.ts'
import { countOf, printCount, SEED } from './counts.ts'
import { errorsOf, KEY_CHANGE, viewOf } from './errors.ts'
import { policyOf, versionsFor } from './policy-pairs.ts'
import { startReloading } from './reloads.ts'
import { writePolicy } from './rendered-policy.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const { cases, each } = casesOf(import.meta.url)

const PAIRS = countOf('SLUICE_PAIRS', 15)

const SOON = { interval: 1 }

/** The beginning of the record: nginx cuts records at 2,048 bytes, and a key may be longer. */
const REFUSAL = /\[emerg\].* limit_req "[^"]*" uses the ".*/

const limit = (key: string, zoneSize = '1m') => ({ key, rate: '1r/s', zoneSize })

describeNginx('exchanging a policy under a running nginx', (program) => {
  const bench = benchFor(program)
  const write = (policy: Draft) => writePolicy(viewOf(policy), program, bench.directory)

  test(`${PAIRS} pairs: the rule reports exactly the refused reloads, after which the old one stays`, async () => {
    const reloading = await startReloading(bench)
    const counts = { taken: 0, refused: 0 }
    let number = 0
    const property = fc.asyncProperty(versionsFor(program), async (versions) => {
      number += 1
      const name = `p${number}`
      const [old, current] = versions.map((limits) => policyOf(name, limits))
      if (old === undefined || current === undefined) return
      expect(await reloading.exchange(write(old), `${name}-old`)).toMatchObject({ taken: true })
      await expect.poll(reloading.mark, SOON).toBe(`${name}-old`)
      const { taken, words } = await reloading.exchange(write(current), `${name}-new`)
      const errors = errorsOf(current, program, old)
      expect(errors.map(({ rule }) => rule).filter((rule) => rule !== KEY_CHANGE)).toEqual([])
      expect([REFUSAL.test(words), errors.length > 0, words]).toEqual([!taken, !taken, words])
      await expect.poll(reloading.mark, SOON).toBe(`${name}-${taken ? 'new' : 'old'}`)
      counts[taken ? 'taken' : 'refused'] += 1
    })
    await fc.assert(property, { numRuns: PAIRS, seed: SEED })
    printCount('SLUICE_PAIRS', `nginx ${program.version}: ${counts.taken} pairs taken, ${counts.refused} refused`)
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0)
  }, 3_600_000)

  test('deleted, reloaded and created again with another key it is taken', async () => {
    const reloading = await startReloading(bench)
    const [by, other] = [policyOf('coffee', [limit('$uri')]), policyOf('coffee', [limit('$host')])]
    expect(await reloading.exchange(write(by), 'first')).toMatchObject({ taken: true })
    expect(await reloading.exchange(write(other), 'changed')).toMatchObject({ taken: false })
    expect(await reloading.exchange(undefined, 'deleted')).toMatchObject({ taken: true })
    expect(await reloading.exchange(write(other), 'again')).toMatchObject({ taken: true })
    await expect.poll(reloading.mark, SOON).toBe('again')
    expect(errorsOf(other, program, by).map(({ rule }) => rule)).toEqual([KEY_CHANGE])
    expect(errorsOf(other, program)).toEqual([])
  })

  const title = 'a version with %s never gets a zone: its correction is taken, and the rule says nothing'
  each<[string, ReturnType<typeof limit>]>(title, async (_, refused) => {
    const reloading = await startReloading(bench)
    const [bad, corrected] = [policyOf('coffee', [refused]), policyOf('coffee', [limit('$host')])]
    expect(await reloading.exchange(write(bad), 'refused')).toMatchObject({ taken: false })
    expect(await reloading.exchange(write(corrected), 'corrected')).toMatchObject({ taken: true })
    await expect.poll(reloading.mark, SOON).toBe('corrected')
    expect(errorsOf(corrected, program, bad)).toEqual([])
    expect(errorsOf(bad, program)).not.toEqual([])
  })

  test('a version that nginx never took leaves the zone before it: the next key is compared with that one', async () => {
    const reloading = await startReloading(bench)
    const taken: boolean[] = []
    for (const key of ['$uri', '$binary_remote_adr', '$host'])
      taken.push((await reloading.exchange(write(policyOf('coffee', [limit(key)])), 'next')).taken)
    expect(taken).toEqual([true, false, false])
  })

  test('with keys in the names of zones every change of keys is taken, and the rule says nothing', async () => {
    const reloading = await startReloading(bench)
    const keyed = (policy: Draft) => writePolicy(viewOf(policy), program, bench.directory, 'keyed')
    const lists = cases<string[][]>('keys of versions')
    let before: Draft | undefined
    for (const [number, keys] of lists.entries()) {
      const policy = policyOf(
        'coffee',
        keys.map((key) => limit(key)),
      )
      const { taken, words } = await reloading.exchange(keyed(policy), `v${number}`)
      expect([taken, words]).toEqual([true, expect.not.stringMatching(REFUSAL)])
      await expect.poll(reloading.mark, SOON).toBe(`v${number}`)
      expect(errorsOf(policy, program, before, 'keyed')).toEqual([])
      before = policy
    }
  })

  test('a change of the setting itself is taken, there and back', async () => {
    const reloading = await startReloading(bench)
    const policy = policyOf('coffee', [limit('$uri'), limit('$host')])
    for (const [number, naming] of (['indexed', 'keyed', 'indexed', 'keyed'] as const).entries()) {
      const written = writePolicy(viewOf(policy), program, bench.directory, naming)
      expect(await reloading.exchange(written, `v${number}`)).toMatchObject({ taken: true })
      await expect.poll(reloading.mark, SOON).toBe(`v${number}`)
    }
  })

  test('"nginx -s reload" reports success where nothing is taken over', async () => {
    const reloading = await startReloading(bench)
    await reloading.exchange(write(policyOf('coffee', [limit('$uri')])), 'first')
    await expect.poll(reloading.mark, SOON).toBe('first')
    reloading.write(write(policyOf('coffee', [limit('$host')])), 'second')
    const since = reloading.nginx.log().length
    const file = join(bench.directory, `run-${reloading.nginx.port}.conf`)
    const reload = ['-s', 'reload', '-p', bench.directory, '-c', file, '-e', 'stderr']
    expect(spawnSync(program.path, reload, { encoding: 'utf8' })).toMatchObject({ status: 0 })
    expect(await reloading.outcome(since)).toMatchObject({ taken: false, words: expect.stringMatching(REFUSAL) })
    // A worker of the configuration before may still answer for a moment.
    await expect.poll(reloading.mark, SOON).toBe('first')
  })
})
