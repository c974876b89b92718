/** Writers that do not stop: policies through the real API server, as dry runs, which webhooks judge all the same. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlPlane } from './control-plane.ts'
import { policy, until } from './resources.ts'
import { ADMIN } from './users.ts'

/** Load under way. */
export type Load = {
  /**
   * Starts more writers, for which the API server opens more connections, and waits until all have been answered:
   * what was under way before has ended then.
   */
  grow(writers?: number): Promise<void>
  /** What the API server has said so far where it did not take a policy. */
  readonly refusals: readonly string[]
  /** Ends it; gives what the API server said where it did not take a policy. */
  stop(): Promise<readonly string[]>
}

const PATH = '/apis/gateway.nginx.org/v1alpha1/namespaces/default/ratelimitpolicies?dryRun=All'
const LANES = 6

/** What a writer waits between two policies (ms): as fast as they can, a few take all processors from what they try. */
const PAUSE = 20

/** Starts to write good policies. */
export function startLoad({ url, folder }: ControlPlane): Load {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(join(folder, 'apiserver.crt')) })
  const refusals: string[] = []
  const lanes: Promise<void>[] = []
  const rounds: number[] = []
  let isOver = false
  const write = (name: string): Promise<void> =>
    new Promise((resolve) => {
      const headers = { authorization: `Bearer ${ADMIN.token}`, 'content-type': 'application/json' }
      const outgoing = request(`${url}${PATH}`, { method: 'POST', agent, headers }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        answer.on('end', () => {
          if (answer.statusCode !== 201) refusals.push(text)
          resolve()
        })
      })
      outgoing.on('error', (error) => {
        refusals.push(error.message)
        resolve()
      })
      outgoing.end(JSON.stringify(policy(name, ['Gateway/edge'])))
    })
  const keepWriting = async (lane: number): Promise<void> => {
    for (rounds[lane] = 0; !isOver; rounds[lane]++) {
      await write(`load-${lane}`)
      await sleep(PAUSE)
    }
  }
  return {
    refusals,
    async grow(writers = LANES) {
      for (let more = 0; more < writers; more++) lanes.push(keepWriting(lanes.length))
      const before = [...rounds]
      const since = (lane: number) => (rounds[lane] ?? 0) - (before[lane] ?? 0)
      await until('the load is answered', () => rounds.every((_, lane) => since(lane) > 3))
    },
    async stop() {
      isOver = true
      await Promise.all(lanes)
      agent.destroy()
      return refusals
    },
  }
}
