/** Writers that do not stop: policies through the real API server, as dry runs, which webhooks judge all the same. */
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { askServer } from './ask.ts'
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
export function startLoad(plane: ControlPlane): Load {
  const agent = new Agent({ keepAlive: true })
  const refusals: string[] = []
  const lanes: Promise<void>[] = []
  const rounds: number[] = []
  let isOver = false
  const write = async (name: string): Promise<void> => {
    const asked = { method: 'POST', agent, body: JSON.stringify(policy(name, ['Gateway/edge'])) }
    const { status, text } = await askServer(plane, PATH, ADMIN, asked).catch((error) => ({
      status: 0,
      text: String(error.message),
    }))
    if (status !== 201) refusals.push(text)
  }
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
