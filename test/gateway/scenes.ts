/** Gateways, routes and policies rendered as one whole configuration. */
import type { RenderOptions } from '../../src/gateway/render/render.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { renderScene, type Scene } from '../nginx/rendered.ts'
import { gateway, route } from './objects.ts'

export const BACKENDS = [{ name: 'coffee', port: 80 }]
export const HTTPS = { name: 'https', port: 443, protocol: 'HTTPS' }

export const textOf = (scene: Scene, options?: Partial<RenderOptions>): string =>
  renderScene(scene, options).files[0]?.text ?? ''

/** The lines of a configuration, without those that are empty. */
export const linesOf = (...parameters: Parameters<typeof textOf>): readonly string[] =>
  textOf(...parameters)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** A scene of one rule for `/coffee`. */
export const ruleScene = (rule: JsonObject, listeners?: readonly JsonObject[]): Scene => ({
  gateway: gateway('shop', listeners),
  routes: [route('coffee', { rules: [{ matches: [{ path: { value: '/coffee' } }], ...rule }] })],
  policies: [],
})
