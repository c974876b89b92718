/** `sluice simulate` over a log of the gateway, beside what nginx logged. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { LimitOutcome, RouteOutcome, SimulationReport } from '../../src/simulate/report/report.ts'
import { sluice } from '../cli/run.ts'
import { gateway } from '../gateway/objects.ts'
import { type Logged, POLICIES, ROUTES } from './traffic-on-gateway.ts'

/** What is compared: outcomes by route, by limit and by key. */
export type Counts = {
  readonly routes: Readonly<Record<string, Pick<RouteOutcome, 'requests' | 'passed' | 'delayed' | 'rejected'>>>
  /** What dry runs would have done. */
  readonly dryRuns: Readonly<Record<string, Pick<LimitOutcome, 'delayedDryRun' | 'rejectedDryRun'>>>
  /** Of routes with one limit: keys of which requests were rejected, and how many. */
  readonly rejected: Readonly<Record<string, number>>
}

/** Runs `sluice simulate` over lines of a log in a folder. */
export async function simulatedCounts(lines: readonly string[], format: string, folder: string): Promise<Counts> {
  const items = [gateway('shop'), ...ROUTES, ...POLICIES].map(({ object }) => object)
  mkdirSync(join(folder, 'manifests'), { recursive: true })
  writeFileSync(join(folder, 'manifests/shop.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  writeFileSync(join(folder, 'lines.log'), lines.map((line) => `${line}\n`).join(''))
  const flags = ['--log', 'lines.log', '--log-format', format, '--format', 'json', '--top', '10000']
  const { code, stdout, stderr } = await sluice(['simulate', 'manifests', ...flags], { cwd: folder })
  expect([code, stderr]).toEqual([0, ''])
  return ofReport(JSON.parse(stdout))
}

function ofReport({ routes, policies, totals }: SimulationReport): Counts {
  expect(totals.unmatched).toBe(0)
  const single = policies.filter(({ limits }) => limits.length === 1)
  return {
    routes: byName(routes, ({ requests, passed, delayed, rejected }) => ({ requests, passed, delayed, rejected })),
    dryRuns: byName(single, ({ limits: [limit] }) => ({
      delayedDryRun: limit?.delayedDryRun ?? 0,
      rejectedDryRun: limit?.rejectedDryRun ?? 0,
    })),
    rejected: Object.fromEntries(
      single.flatMap(({ name, limits }) =>
        limits.flatMap(({ topRejectedKeys }) =>
          topRejectedKeys.flatMap(({ key, rejected }) => (rejected > 0 ? [[`${name} ${key}`, rejected]] : [])),
        ),
      ),
    ),
  }
}

const byName = <Item extends { readonly name: string }, Value>(
  items: readonly Item[],
  read: (item: Item) => Value,
): Readonly<Record<string, Value>> => Object.fromEntries(items.map((item) => [item.name, read(item)]))

/** The same counts as nginx logged them. */
export function loggedCounts(log: readonly Logged[]): Counts {
  const of = (name: string, ...outcomes: readonly Logged['outcome'][]): number =>
    log.filter(({ place, outcome }) => place === name && (outcomes.length === 0 || outcomes.includes(outcome))).length
  const names = POLICIES.map(({ identity, limits }) => ({ name: identity.name ?? '', limits }))
  const single = names.filter(({ limits }) => limits.length === 1)
  const rejected: Record<string, number> = {}
  for (const { place, client, outcome } of log)
    if (outcome.startsWith('REJECTED') && single.some(({ name }) => name === place))
      rejected[`${place} ${client}`] = (rejected[`${place} ${client}`] ?? 0) + 1
  return {
    routes: byName(names, ({ name }) => ({
      requests: of(name),
      passed: of(name, 'PASSED', 'DELAYED_DRY_RUN', 'REJECTED_DRY_RUN'),
      delayed: of(name, 'DELAYED'),
      rejected: of(name, 'REJECTED'),
    })),
    dryRuns: byName(single, ({ name }) => ({
      delayedDryRun: of(name, 'DELAYED_DRY_RUN'),
      rejectedDryRun: of(name, 'REJECTED_DRY_RUN'),
    })),
    rejected,
  }
}
