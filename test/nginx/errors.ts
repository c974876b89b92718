/** What the lint has against a policy, as for a cluster that runs a certain nginx on this machine. */
import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import keyChange from '../../rules/gateway/key-change-without-zone-resize.ts'
import { RULES } from '../../rules/index.ts'
import { type PolicyView, readPolicy } from '../../src/gateway/objects/policy.ts'
import { isObject } from '../../src/json/member.ts'
import type { ZoneNaming } from '../../src/limits/zone.ts'
import { lint } from '../../src/lint/lint.ts'
import type { ReportedFinding } from '../../src/lint/report.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import type { Draft } from '../rules/policies.ts'
import { platformOf } from './platform.ts'
import type { NginxProgram } from './real-nginx.ts'

/** The id of the rule that compares a policy with what it was. */
export const KEY_CHANGE = keyChange.id

const rules = [...new Set([...RULES, keyChange])]
const pageSize = Number(spawnSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }).stdout || 4096)

/** The lint's errors of one policy, which takes the place of a previous one; without a namespace it is in "default". */
export function errorsOf(
  policy: Draft,
  program: NginxProgram,
  previous?: Draft,
  zoneNaming: ZoneNaming = 'indexed',
): readonly ReportedFinding[] {
  const settings = { ...DEFAULT_SETTINGS, zoneNaming, platform: { ...platformOf(program), pageSize } }
  const before = previous === undefined ? [] : [asSource(previous)]
  const { report, faults } = lint([asSource(policy)], { settings, rules, previous: before })
  expect(faults).toEqual([])
  return report.findings.filter(({ severity }) => severity === 'error')
}

const asSource = (policy: Draft) => ({
  file: 'policy.json',
  text: JSON.stringify(policy),
  namespace: { fallback: 'default' },
})

/** A policy as read, in "default" where it names no namespace. */
export function viewOf(policy: Draft): PolicyView {
  const view = readPolicy(isObject(policy) ? policy : {})
  return view.identity.namespace === undefined ? readPolicy(view.object, 'default') : view
}
