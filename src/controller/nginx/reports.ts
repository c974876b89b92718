/**
 * What the nginx of each replica has refused, told to the one that writes statuses: each replica has a Lease of its own, with
 * an annotation. A replica that is gone no longer renews it.
 */
import { callApi, callUnless } from '../../cluster/client/api.ts'
import type { Clock } from '../../cluster/client/clock.ts'
import { reasonOf } from '../../cluster/client/failure.ts'
import type { KubeConfig } from '../../cluster/client/library.ts'
import { type LeasePlace, microTime } from '../../cluster/lease/lease.ts'
import type { Refusal } from '../../gateway/status/status.ts'
import { asObject, isObject, type Json, type JsonObject, member } from '../../json/member.ts'
import { textAt } from '../../kubernetes/conditions.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { compareText } from '../../text/order.ts'
import { FIELD_MANAGER } from '../write.ts'

/** Policies that an nginx refused, by `namespace/name`. */
export type Refusals = ReadonlyMap<string, Refusal>

export type ReportsOptions = {
  readonly kubeconfig: KubeConfig
  readonly clock: Clock
  /** Milliseconds since 1970; replicas have the same to within some seconds. */
  wallClock(): number
  /** The Lease of the leader: those of the reports have names that begin with its name. */
  readonly lease: LeasePlace
  readonly identity: string
  /** Called when another replica reports something else, comes or goes. */
  changed(): void
  /** Called with what went wrong, in one line; the next attempt follows. */
  failed(reason: string): void
}

export type Reports = {
  /** What the nginx of this replica refuses now. */
  publish(refused: Refusals): void
  /** What those of the other replicas refuse, in an order that stays. */
  others(): readonly Refusals[]
  /** Takes the report of this replica back. Never rejects. */
  stop(): Promise<void>
}

/** Milliseconds: between two looks at the others, between two renewals, and until one that does not renew does not count. */
const TIMES = { look: 5_000, renewal: 10_000, duration: 30_000, forgotten: 600_000 }

const LABEL = 'sluice.policy/controller'
const ANNOTATION = 'sluice.policy/refused'

/** An object takes 256 KiB of annotations: more policies, and more of what nginx said, are left out. */
const MOST_POLICIES = 500
const MOST_CHARACTERS = 400

/** Looks and reports until stopped. Never throws. */
export function startReports(options: ReportsOptions): Reports {
  const { clock, wallClock, changed, failed, identity } = options
  const client = reportClient(options)
  /** Undefined until nginx was asked for the first time: a replica without a report does not count. */
  let own: string | undefined
  let written: { readonly text: string; readonly at: number } | undefined
  let others: readonly Refusals[] = []
  let seen = '[]'
  let isStopped = false
  let cancel = (): void => undefined
  let current: Promise<void> | undefined

  async function exchange(): Promise<void> {
    const text = own
    if (text !== undefined && (written?.text !== text || clock.now() - written.at >= TIMES.renewal)) {
      await client.write(text)
      written = { text, at: clock.now() }
    }
    const reports = await client.read()
    const ages = reports.map((report) => ({ ...report, age: wallClock() - report.renewed }))
    const live = ages.filter(({ age, holder }) => age < TIMES.duration && holder !== identity)
    for (const { name, age } of ages) if (age > TIMES.forgotten) await client.remove(name)
    const texts = JSON.stringify(live.map(({ holder, text }) => [holder, text]))
    if (texts === seen) return
    seen = texts
    others = live.map(({ text }) => readReport(text))
    changed()
  }
  async function repeat(): Promise<void> {
    let delay: number = TIMES.look
    await exchange().then(
      () => {
        if (written?.text !== own) delay = 0
      },
      (error: unknown) => isStopped || failed(reasonOf(error)),
    )
    current = undefined
    if (!isStopped) cancel = clock.after(delay, begin)
  }
  function begin(): void {
    current = repeat()
  }
  begin()
  return {
    others: () => others,
    publish(refused) {
      own = writeReport(refused)
      // One that is under way sees the new text at its end.
      if (isStopped || current || written?.text === own) return
      cancel()
      begin()
    },
    async stop() {
      isStopped = true
      cancel()
      await current
      if (written) await client.remove(client.own).catch((error: unknown) => failed(reasonOf(error)))
    },
  }
}

function writeReport(refused: Refusals): string {
  const sorted = [...refused].sort(([a], [b]) => compareText(a, b)).slice(0, MOST_POLICIES)
  return JSON.stringify(
    Object.fromEntries(
      sorted.map(([name, { words, keeps }]) => [name, { words: words.slice(0, MOST_CHARACTERS), keeps }]),
    ),
  )
}

/** Anything may be in an annotation. */
function readReport(text: string): Refusals {
  let report: unknown
  try {
    report = JSON.parse(text)
  } catch {
    return new Map()
  }
  const entries = Object.entries(isObject(report) ? report : {})
  return new Map(
    entries.flatMap(([name, refusal = null]): [string, Refusal][] => {
      const [words, keeps] = [textAt(refusal, 'words'), textAt(refusal, 'keeps')]
      const isKnown = keeps === 'last-accepted' || keeps === 'nothing'
      return words !== undefined && isKnown ? [[name, { words, keeps }]] : []
    }),
  )
}

type Report = { readonly name: string; readonly holder: string; readonly renewed: number; readonly text: string }

/** The Leases of the reports. Each function rejects with the error of the API server. */
function reportClient({ kubeconfig, wallClock, lease, identity }: ReportsOptions) {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${lease.namespace}/leases`
  const own = `${lease.name}-${fingerprint(identity)}`
  return {
    own,
    async write(text: string): Promise<void> {
      await callApi(kubeconfig, {
        method: 'PATCH',
        path: `${path}/${own}`,
        query: { fieldManager: FIELD_MANAGER, force: 'true' },
        contentType: 'application/apply-patch+yaml',
        body: {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: {
            name: own,
            labels: { 'app.kubernetes.io/name': 'sluice', [LABEL]: lease.name },
            annotations: { [ANNOTATION]: text },
          },
          spec: {
            holderIdentity: identity,
            leaseDurationSeconds: TIMES.duration / 1000,
            renewTime: microTime(wallClock()),
          },
        },
      })
    },
    async read(): Promise<readonly Report[]> {
      const { items } = await callApi(kubeconfig, { path, query: { labelSelector: `${LABEL}=${lease.name}` } })
      return (Array.isArray(items) ? items : []).flatMap(reportOf).sort((a, b) => compareText(a.holder, b.holder))
    },
    async remove(name: string): Promise<void> {
      // Another replica may have been faster.
      await callUnless(404, kubeconfig, { method: 'DELETE', path: `${path}/${name}` })
    },
  }
}

function reportOf(lease: Json): readonly Report[] {
  const objectAt = (parent: Json | undefined, name: string): JsonObject | undefined =>
    member(parent, '', name, asObject).value
  const metadata = objectAt(lease, 'metadata')
  const spec = objectAt(lease, 'spec')
  const [name, holder] = [textAt(metadata, 'name'), textAt(spec, 'holderIdentity')]
  const renewed = Date.parse(textAt(spec, 'renewTime') ?? '')
  if (name === undefined || holder === undefined || Number.isNaN(renewed)) return []
  return [{ name, holder, renewed, text: textAt(objectAt(metadata, 'annotations'), ANNOTATION) ?? '{}' }]
}

/** What all replicas say of a policy; undefined where none refuses it. What this one says comes first. */
export function refusalAmong(policy: string, own: Refusals, others: readonly Refusals[]): Refusal | undefined {
  const all = [own, ...others]
  const refusals = all.flatMap((refused) => refused.get(policy) ?? [])
  const [first] = refusals
  if (!first || others.length === 0) return first
  const keeps = refusals.some((one) => one.keeps === 'last-accepted') ? 'last-accepted' : 'nothing'
  return { words: first.words, keeps, replicas: { have: all.length - refusals.length, all: all.length } }
}
