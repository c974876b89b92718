/** Says what came of a version of the manifests: only what it did not say of the version before. */
import type { JsonObject } from '../../json/member.ts'
import { fullName } from '../../kubernetes/metadata.ts'
import { lint } from '../../lint/lint.ts'
import type { ReportedFinding } from '../../lint/report.ts'
import type { RejectedPolicy } from '../../live/api-server.ts'
import { type ConditionChange, changedConditions, conditionsOf, type Refusal } from '../../live/conditions.ts'
import { policyOfPart } from '../../live/configuration.ts'
import type { Reading } from '../../project/source.ts'
import type { StatusResult } from '../../queries/status.ts'
import { contractOf } from '../../reports/lint/json.ts'
import type { LiveEvent } from '../../reports/live/events.ts'
import type { EventContext } from '../../reports/live/text.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Applied } from './running-gateway.ts'

/** Where things are said. */
export type Voice = {
  emit(event: LiveEvent, context?: EventContext): void
  /** Says something that is no event: a line for people. */
  note(text: string): void
  /** Says what failed, in a line. */
  fail(text: string): void
}

/** What came of a version for a Gateway: the policies that nginx refused, and whether everything else is in force. */
type Told = { readonly refused: ReadonlyMap<string, Refusal>; readonly isApplied: boolean }

/** Says things about one version after the other. */
export type Teller = {
  /** Forgets what was said of all other Gateways. */
  keep(gateways: readonly string[]): void
  /** `today` is a date in UTC. */
  findings(reading: Reading, settings: Settings, today: string): void
  rejected(policies: readonly RejectedPolicy[], revision: number): void
  applied(gateway: string, applied: Applied, revision: number): Told
  conditions(status: StatusResult): void
  /** The objects that changes are compared with from now on. */
  compareWith(objects: readonly JsonObject[]): void
}

/** Nothing was said yet. */
export function createTeller({ emit, note, fail }: Voice): Teller {
  const news = createNews()
  let inForce: readonly JsonObject[] = []
  let conditions: ReadonlyMap<string, ConditionChange> = new Map()

  function listening(gateway: string, { offer, outcome }: Applied): void {
    const listeners = outcome.forms === undefined ? [] : offer.listeners
    for (const { name, url } of news(
      { topic: 'listeners', about: gateway },
      listeners,
      (one) => `${one.name} ${one.url}`,
    ))
      emit({ event: 'listening', gateway, listener: name, url })
    for (const text of news({ topic: 'notes', about: gateway }, offer.notes, (one) => one))
      note(`Gateway ${gateway}: ${text}`)
  }

  return {
    keep: (gateways) => news.keep((about) => gateways.includes(about)),
    findings(reading, settings, today) {
      const previous = inForce.map((object) => ({ object }))
      const { report, faults } = lint(reading, { settings, closedWorld: true, previous, today })
      for (const finding of news({ topic: 'findings' }, report.findings, keyOfFinding))
        emit({ event: 'finding', ...contractOf(finding) })
      for (const { rule, error } of faults)
        fail(`a fault in rule ${rule}: ${error instanceof Error ? error.message : String(error)}`)
    },
    rejected(policies, revision) {
      for (const { policy, message } of news({ topic: 'rejected' }, policies, (one) => `${one.policy} ${one.message}`))
        emit({ event: 'refused', revision, policy, by: 'api-server', message })
    },
    applied(gateway, applied, revision) {
      const { outcome, leftOut } = applied
      listening(gateway, applied)
      if (outcome.result === 'failed') {
        fail(`Gateway ${gateway}: ${outcome.failure.message}`)
        return { refused: new Map(), isApplied: false }
      }
      const withoutFile = [...leftOut].map(([part, words]) => ({ part, words, keeps: 'nothing' as const }))
      const parts = [...outcome.refused, ...withoutFile]
      for (const { part, words, keeps } of news(
        { topic: 'refused', about: gateway },
        parts,
        (one) => `${one.part} ${one.words}`,
      ))
        emit({ event: 'refused', revision, policy: part, by: 'nginx', message: words }, { keeps })
      const isWhole = outcome.result === 'refused' && outcome.refused.length === 0
      for (const words of news({ topic: 'whole', about: gateway }, isWhole ? [outcome.words] : [], (one) => one))
        emit({ event: 'refused', revision, policy: null, by: 'nginx', message: words })
      const refused = parts.map(({ part, words, keeps }) => [fullName(policyOfPart(part)), { words, keeps }] as const)
      return { refused: new Map(refused), isApplied: outcome.result === 'applied' }
    },
    conditions(status) {
      const after = conditionsOf(status)
      for (const condition of changedConditions(conditions, after)) emit({ event: 'condition', ...condition })
      conditions = after
    },
    compareWith(objects) {
      inForce = objects
    },
  }
}

const keyOfFinding = ({ rule, file, object, pointer, message }: ReportedFinding): string =>
  JSON.stringify([rule, file, object.namespace, object.name, pointer, message])

/** What things are said of: a topic, and the Gateway that they are about. */
type Topic = { readonly topic: string; readonly about?: string }

/** Remembers what was said the last time, by topic, and returns what was not. */
function createNews() {
  const last = new Map<string | undefined, Map<string, ReadonlySet<string>>>()
  const news = <Item>(
    { topic, about }: Topic,
    items: readonly Item[],
    keyOf: (item: Item) => string,
  ): readonly Item[] => {
    const topics = last.get(about) ?? new Map<string, ReadonlySet<string>>()
    const known = topics.get(topic)
    topics.set(topic, new Set(items.map(keyOf)))
    last.set(about, topics)
    return items.filter((item) => !known?.has(keyOf(item)))
  }
  const keep = (isKept: (about: string) => boolean): void => {
    for (const about of [...last.keys()]) if (about !== undefined && !isKept(about)) last.delete(about)
  }
  return Object.assign(news, { keep })
}
