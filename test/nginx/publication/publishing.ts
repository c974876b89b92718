/** Publishers in folders of their own, with a backend behind their nginx. */
import type { Published, PublishedProxy } from '../../../src/api-management/render/published.ts'
import type { JsonObject } from '../../../src/json/member.ts'
import { openPublisher, type Publisher, type PublisherOptions } from '../../../src/publication/publisher.ts'
import { freePort } from '../../free-ports.ts'
import { type Asked, askAt, backendAt, limiting } from '../api-management/serving.ts'
import { startHttpBackend } from '../backends.ts'
import { afterThisTest, newFolder } from '../proxy/driving.ts'
import type { NginxProgram } from '../real-nginx.ts'

/** A body at a base path, with a backend and limits. */
type MakeBody = (name: string, limits?: readonly JsonObject[], more?: JsonObject) => JsonObject

export type Publishing = {
  readonly publisher: Publisher
  readonly folder: string
  readonly port: number
  readonly body: MakeBody
  /** Publishes bodies by id; returns what came of each, without revisions. */
  publish(bodies: Readonly<Record<string, JsonObject>>, globals?: JsonObject): Promise<Readonly<Record<string, object>>>
  codes(count: number, path: string, asked?: Asked): Promise<readonly number[]>
}

/** Everything to publish: one environment, and bodies by id. */
export function publishedOf(
  bodies: Readonly<Record<string, JsonObject>>,
  globals?: JsonObject,
  revision = 1,
): Published {
  const proxies = Object.entries(bodies).map(
    ([id, body]): PublishedProxy => ({ id, workspace: 'shop', environment: 'prod', revision, body }),
  )
  return { proxies, environments: globals ? [{ name: 'prod', policies: globals }] : [] }
}

/** A publisher as long as the test; `folder` and `port` may be those of another one before. */
export async function publishing(
  program: Pick<NginxProgram, 'path'>,
  { folder = newFolder(), port, ...options }: Partial<PublisherOptions> & { readonly port?: number } = {},
): Promise<Publishing> {
  const at = port ?? (await freePort())
  const backend = await startHttpBackend()
  afterThisTest(() => backend.stop())
  const publisher = await openPublisher({
    ...{ folder, nginx: program.path, site: { address: '127.0.0.1', port: at } },
    ...options,
  })
  afterThisTest(() => publisher.stop())
  return {
    ...{ publisher, folder, port: at },
    body: (name, limits = [], more = {}) => ({
      name,
      proxyConfig: {
        ingress: { basePath: `/${name}`, basePathVersionAppendRule: 'NONE' },
        backends: [backendAt(backend.address)],
        policies: { 'rate-limit': limits.length === 0 ? [] : [limiting(limits)] },
        ...more,
      },
    }),
    async publish(bodies, globals) {
      const outcomes = await publisher.publish(publishedOf(bodies, globals))
      return Object.fromEntries([...outcomes].map(([id, { revision: _, ...outcome }]) => [id, outcome]))
    },
    async codes(count, path, asked) {
      const seen: number[] = []
      for (let index = 0; index < count; index += 1) seen.push((await askAt({ port: at, ...asked }, path)).code)
      return seen
    },
  }
}
