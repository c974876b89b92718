/** A running nginx whose configuration is exchanged, and what it makes of that. */
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bench, RunningNginx } from './real-nginx.ts'
import type { WrittenPolicy } from './rendered-policy.ts'

/** What a running nginx made of a new configuration. */
type Reload = { readonly taken: boolean; readonly words: string }

export type Reloading = {
  readonly nginx: RunningNginx
  /** Puts another policy (or none) into the configuration, signals, and waits for its result in the log. */
  exchange(policy: WrittenPolicy | undefined, mark: string): Promise<Reload>
  /** Writes the configuration and nothing else. */
  write(policy: WrittenPolicy | undefined, mark: string): void
  /** What the log has about the signal that was sent when the log had this length. */
  outcome(since: number): Promise<Reload>
  /** The mark of the configuration that serves requests. */
  mark(): Promise<string>
}

/** Starts an nginx with one worker and a configuration without a policy. */
export async function startReloading(bench: Bench): Promise<Reloading> {
  const file = bench.write('current.conf', '')
  const inside = (port: number, mark: string, policy: WrittenPolicy | undefined): string =>
    `${policy?.http ?? ''}
    server { listen 127.0.0.1:${port}; keepalive_timeout 0;
      location / { ${policy?.location ?? ''} return 200; }
      location = /mark { return 200 '${mark}'; } }`
  const nginx = await bench.start(
    (port) => {
      writeFileSync(file, inside(port, 'start', undefined))
      return `include ${file};`
    },
    { workers: 1, logLevel: 'notice' },
  )
  // It listens before it has workers. A signal that comes before them is obeyed only when another one comes.
  await untilDecided(nginx, 0)
  const write = (policy: WrittenPolicy | undefined, mark: string): void =>
    writeFileSync(file, inside(nginx.port, mark, policy))
  const outcome = (since: number): Promise<Reload> => untilDecided(nginx, since)
  return {
    nginx,
    write,
    outcome,
    exchange(policy, mark) {
      write(policy, mark)
      const since = nginx.log().length
      process.kill(nginx.pid, 'SIGHUP')
      return outcome(since)
    },
    mark: async () => (await fetch(`http://127.0.0.1:${nginx.port}/mark`)).text(),
  }
}

/** A configuration is accepted when its workers start, and rejected when an emergency is logged. */
async function untilDecided(nginx: RunningNginx, since: number): Promise<Reload> {
  for (let waited = 0; waited < 40_000; waited += 1) {
    const news = nginx.log().slice(since)
    if (/\[emerg\].*\n/.test(news)) return { taken: false, words: news }
    if (/start worker process \d+\n/.test(news)) return { taken: true, words: news }
    await pause(1)
  }
  throw new Error(`nothing came of the reload: ${nginx.log().slice(since)}`)
}
