/** What the rules say of a policy while one types: the same findings as `sluice lint`, beside the fields. */
import type { JsonObject } from '../../../json/member.ts'
import { library } from '../../library/library.ts'
import { useAnswer } from '../../use-answer.ts'
import type { Said } from '../fields.tsx'
import type { Problems } from './form.ts'

/** What is said of each field, by its place; `''`: of the whole. */
export type SaidAt = Readonly<Record<string, readonly Said[]>>

/** Findings of the text of a body below a JSON Pointer. */
export async function findingsOf(text: string, base: string): Promise<SaidAt> {
  const result = await library().lint([{ file: 'proxy.json', text }], { closedWorld: true })
  return result.ok ? saidAt(result.value.findings, base) : {}
}

/** True where something among them is an error. */
export const hasErrors = (found: SaidAt): boolean =>
  Object.values(found)
    .flat()
    .some(({ severity }) => severity === 'error')

/** The findings while one types. */
export function useFindings(body: JsonObject, base: string): SaidAt {
  const text = JSON.stringify(body)
  return useAnswer(() => findingsOf(text, base), [text, base]) ?? NOTHING
}

const NOTHING: SaidAt = {}

type Finding = {
  readonly pointer: string
  readonly severity: Said['severity']
  readonly message: string
  readonly help: string
}

/** Findings by place. */
function saidAt(findings: readonly Finding[], base: string): SaidAt {
  const said: Record<string, Said[]> = {}
  for (const { pointer, severity, message, help } of findings) {
    if (pointer !== base && !pointer.startsWith(`${base}/`)) continue
    const at = pointer.slice(base.length + 1)
    said[at] = [...(said[at] ?? []), { severity, text: `${message}. ${help}` }]
  }
  return said
}

/** What is said of some places, with the problems of the form first: where a value is none, no rule has judged it. */
export function saidOf(places: readonly string[], problems: Problems, found: SaidAt): readonly Said[] {
  return places.flatMap((place) => {
    const problem = problems[place]
    return problem === undefined ? (found[place] ?? []) : [{ severity: 'error' as const, text: problem }]
  })
}
