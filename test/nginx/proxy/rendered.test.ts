/** What `sluice render` makes of manifests, as parts of a driven nginx: each policy is one, with its manifest as its form. */
import { chmodSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Wanted } from '../../../src/proxy/configuration.ts'
import { parseRecord } from '../../../src/proxy/error-log.ts'
import { queryRender } from '../../../src/queries/render.ts'
import { DEFAULT_SETTINGS } from '../../../src/settings/settings.ts'
import { gateway, policy, route } from '../../live/manifests.ts'
import { startHttpBackend } from '../backends.ts'
import type { NginxProgram } from '../real-nginx.ts'
import { describeNewestNginx } from '../with-nginx.ts'
import { afterThisTest, drive, newFolder } from './driving.ts'

const FRAME = gateway() + ['coffee', 'tea', 'milk'].map((name) => route(name)).join('')

type Site = { readonly program: NginxProgram; readonly port: number; readonly backend: string; readonly folder: string }

/** The Gateway with the policies that are in force. A policy's two files are those of its part. */
const composing =
  ({ program, port, backend, folder }: Site): Wanted['compose'] =>
  (forms) => {
    const result = queryRender(
      [FRAME, ...forms.values()].map((text, index) => ({ file: `${index}.yaml`, text })),
      {
        settings: { ...DEFAULT_SETTINGS, platform: { ...DEFAULT_SETTINGS.platform, nginxVersion: program.version } },
        closedWorld: true,
        gateway: undefined,
        namespace: undefined,
        world: undefined,
        several: false,
        how: {
          complete: true,
          files: true,
          address: '127.0.0.1',
          ports: new Map([[80, port]]),
          portOffset: 0,
          addresses: new Map([['web', backend]]),
          certificates: undefined,
          socketDir: folder,
        },
      },
    )
    if (!result.ok) throw new Error(result.problem)
    const partOf = new Map<string, string>(
      [...forms.keys()].flatMap((name) =>
        ['zones', 'limits'].map((what) => [`RateLimitPolicy_Routes_shop_${name}_${what}.conf`, name]),
      ),
    )
    return result.value.gateways.flatMap(({ files }) =>
      files.map((file) => {
        const part = partOf.get(file.name)
        return part === undefined ? file : { ...file, part }
      }),
    )
  }

describeNewestNginx('a driven nginx with the policies of a Gateway', (program) => {
  test('a refused key and a refused rate keep what they had, and the next policy is in force', async () => {
    const backend = await startHttpBackend()
    afterThisTest(backend.stop)
    const lines: string[] = []
    const folder = newFolder()
    chmodSync(folder, 0o755)
    const { apply, port } = await drive(program, { folder, onLogLine: (line) => lines.push(line) })
    const compose = composing({ program, port, backend: backend.address, folder })
    const statuses = async (name: string) => {
      const asked = Array.from({ length: 3 }, () => fetch(`http://127.0.0.1:${port}/${name}`))
      return (await Promise.all(asked)).map(({ status }) => status).sort()
    }
    const first = {
      coffee: policy('coffee', 'key: $binary_remote_addr, rate: 1r/m'),
      tea: policy('tea', 'key: $uri, rate: 1r/m', { settings: 'rejectCode: 429' }),
    }
    expect(await apply(first, { compose })).toMatchObject({ result: 'applied', refused: [] })
    expect([await statuses('coffee'), await statuses('tea')]).toEqual([
      [200, 503, 503],
      [200, 429, 429],
    ])
    const second = {
      coffee: policy('coffee', 'key: $host, rate: 1r/m', { settings: 'rejectCode: 418' }),
      tea: policy('tea', 'key: $uri, rate: 0r/s'),
      milk: policy('milk', 'key: $uri, rate: 1r/m', { settings: 'rejectCode: 420' }),
    }
    expect(await apply(second, { compose })).toMatchObject({
      result: 'applied',
      refused: [
        {
          part: 'tea',
          words: expect.stringMatching(
            /^invalid rate "rate=0r\/s" in RateLimitPolicy_Routes_shop_tea_zones\.conf:\d+$/,
          ),
        },
        {
          part: 'coffee',
          words: expect.stringMatching(/limit_req "shop_rl_coffee_rule0" uses the "\$host" key while/),
        },
      ],
      cost: { tests: 2, reloads: 2 },
    })
    expect([await statuses('coffee'), await statuses('tea'), await statuses('milk')]).toEqual([
      [503, 503, 503],
      [429, 429, 429],
      [200, 420, 420],
    ])
    const limited = () =>
      lines.flatMap((line) => parseRecord(line) ?? []).filter(({ message }) => /^limiting requests/.test(message))
    await expect.poll(() => limited().filter(({ message }) => message.includes('shop_rl_milk_rule0')).length).toBe(2)
  })
})
