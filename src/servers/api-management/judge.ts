/** Bodies before the rules of lint: the same rules, pointers and words. */
import { readProxy } from '../../api-management/proxy.ts'
import { describeFinding, type Subject } from '../../engine/finding.ts'
import type { AnyRule } from '../../engine/rule.ts'
import { createJudge } from '../../engine/run.ts'
import type { JsonObject } from '../../json/member.ts'
import type { Settings } from '../../settings/settings.ts'
import type { System } from '../../world/system.ts'
import { emptyWorld } from '../../world/world.ts'

/** One thing to say about a body, in a problem or beside what was accepted. */
export type Remark = {
  /** Id of the rule, or what else refuses it: `json`, `request`, `publication`. */
  readonly rule: string
  /** JSON Pointer into the body. */
  readonly pointer: string
  readonly message: string
  /** What to do. */
  readonly remedy: string
  /** JSON Pointer of the operation of a patch that wrote there. */
  readonly operation?: string
}

/** What the rules say about a body. */
type Judgement = {
  readonly errors: readonly Remark[]
  readonly warnings: readonly Remark[]
}

/** Judges bodies by the rules of one set of settings. */
export type BodyJudge = (body: JsonObject) => Judgement

export type JudgeOptions = {
  readonly rules: readonly AnyRule[]
  readonly systems: readonly System[]
  readonly settings: Settings
}

/** Creates a judge. Infos are left out: what they say of defaults is in the notes of a response. */
export function createBodyJudge({ rules, systems, settings }: JudgeOptions): BodyJudge {
  const judge = createJudge<Subject>({ rules, settings })
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  const world = emptyWorld(systems)
  return (body) => {
    const view = readProxy(body)
    // Every body here is one of a proxy, whatever is in it.
    const found = judge({ kind: 'Proxy', view, object: body, identity: view.identity, world }).flatMap((finding) => {
      const rule = byId.get(finding.rule)
      return rule ? [describeFinding(rule, finding)] : []
    })
    const remarks = new Map(
      found.map(({ rule, severity, pointer, message, help }) => [
        `${rule}\n${pointer}\n${message}`,
        { severity, remark: { rule, pointer, message, remedy: help } },
      ]),
    )
    const those = (severity: string) =>
      [...remarks.values()].filter((one) => one.severity === severity).map(({ remark }) => remark)
    return { errors: those('error'), warnings: those('warning') }
  }
}
