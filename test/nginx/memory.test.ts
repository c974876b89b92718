import { Agent } from 'node:http'
import { describe, expect, test } from 'vitest'
import { bytesPerKey, isSameZoneKey, keysHeld } from '../../src/nginx/memory.ts'
import { share } from '../runs.ts'
import { casesOf } from '../support/cases.ts'
import { viewOf } from './errors.ts'
import { policyOf } from './policy-pairs.ts'
import { startReloading } from './reloads.ts'
import { writePolicy } from './rendered-policy.ts'
import { statusOf } from './requests.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const { cases } = casesOf(import.meta.url)

const held = (zoneKib: number, keyBytes: number, pageSize = 4096) =>
  keysHeld({ zoneBytes: zoneKib * 1024, keyBytes, pageSize })

describe('memory of a zone', () => {
  test('a key takes a power of two of bytes, an address of either kind 128', () =>
    expect([4, 16, 48, 49, 176, 177, 5000].map((bytes) => bytesPerKey(bytes, 4096))).toEqual([
      128, 128, 128, 256, 256, 512, 8192,
    ]))
  test('a key longer than half a page takes whole pages', () =>
    expect([1968, 1969, 4016, 4017, 9000].map((bytes) => bytesPerKey(bytes, 4096))).toEqual([
      2048, 4096, 4096, 8192, 12_288,
    ]))
  test('some 8,000 addresses a MiB', () => expect([held(1024, 16), held(10_240, 4)]).toEqual([8095, 81_375]))
  test('the smallest zones', () => expect([held(32, 16), held(32, 5000), held(32, 65_535)]).toEqual([191, 2, 0]))
  test('larger pages waste less of a large zone and more of a small one', () =>
    expect([held(128, 16, 16_384), held(512, 16, 65_536)]).toEqual([761, 3065]))
  test('more memory never holds fewer keys, a longer key never more', () => {
    for (let kib = 32; kib < 2048; kib += 7) expect(held(kib + 7, 16)).toBeGreaterThanOrEqual(held(kib, 16))
    for (let bytes = 1; bytes < 9000; bytes += 13) expect(held(512, bytes + 13)).toBeLessThanOrEqual(held(512, bytes))
  })
})

/** Zone in KiB, bytes of a key, bytes of the zone's name. */
const ZONES = cases<[number, number, number][]>('ZONES')

describeNginx('memory of a zone', (program) => {
  const bench = benchFor(program)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  test('a full zone holds exactly as many keys as computed', async () => {
    const { port } = await bench.start((listen) => zones(listen))
    for (const [index, [kib, keyBytes, nameBytes]] of share([...ZONES.entries()], 6)) {
      const expected = keysHeld({ zoneBytes: kib * 1024, keyBytes, pageSize: 4096, nameBytes })
      const sent = expected + 20
      const key = (number: number): string => `/${index}?k=${String(number).padStart(keyBytes, 'k')}`
      for (let number = 0; number < sent; number += 1) await statusOf(port, key(number), agent)
      let remembered = 0
      while ((await statusOf(port, key(sent - 1 - remembered), agent)) === 503) remembered += 1
      expect({ kib, keyBytes, remembered }).toEqual({ kib, keyBytes, remembered: expected })
    }
    agent.destroy()
  })

  test('a long key finds no space among short ones, and its request is rejected', async () => {
    const nginx = await bench.start((listen) => zones(listen))
    for (let number = 0; number < 191; number += 1) await statusOf(nginx.port, `/0?k=${number}`, agent)
    expect(await statusOf(nginx.port, `/0?k=${'k'.repeat(200)}`, agent)).toBe(503)
    await expect.poll(nginx.log).toContain('could not allocate node in limit_req zone "z0nnn"')
    agent.destroy()
  })
})

function zones(port: number): string {
  const name = (index: number, length: number): string => `z${index}`.padEnd(length, 'n')
  const directives = ZONES.map(
    ([kib, , length], index) => `limit_req_zone $arg_k zone=${name(index, length)}:${kib}k rate=1r/m;`,
  )
  const places = ZONES.map(
    ([, , length], index) => `location /${index} { limit_req zone=${name(index, length)}; try_files /none =204; }`,
  )
  const server = ['large_client_header_buffers 4 16k; keepalive_requests 1000000;', `listen 127.0.0.1:${port};`]
  return [...directives, 'server {', ...server, ...places, '}'].join('\n')
}

const CASES: readonly (readonly [left: string, right: string, same: boolean])[] = cases('CASES')

test.each(CASES)('%j and %j are the same key: %s', (left, right, same) =>
  expect([isSameZoneKey(left, right), isSameZoneKey(right, left)]).toEqual([same, same]),
)

describeNginx('keeping a zone on reload', (program) => {
  const bench = benchFor(program)

  test('the real nginx compares the same', async () => {
    const reloading = await startReloading(bench)
    for (const [left, right, same] of CASES) {
      const exchange = (key: string) => {
        const policy = policyOf('coffee', [{ key, rate: '1r/s', zoneSize: '32k' }])
        return reloading.exchange(writePolicy(viewOf(policy), program, bench.directory), 'any')
      }
      await exchange(left)
      expect([left, right, (await exchange(right)).taken]).toEqual([left, right, same])
      await reloading.exchange(undefined, 'none')
    }
  })
})
