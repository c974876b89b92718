/** What the rules say of a policy while one types: the same findings as `sluice lint`, beside the fields. */
import type { JsonObject } from '../../../json/member.ts'
import { library } from '../../library/library.ts'
import { useAnswer } from '../../use-answer.ts'
import type { Said } from '../fields.tsx'
import type { Problems } from './form.ts'

/** What is said of each field, by its place; `''`: of the whole. */
export type SaidAt = Readonly<Record<string, readonly Said[]>>

/** JSON Pointers in a body: of the action of a policy, and of the name of the correlation header. */
export type Judged = { readonly action: string; readonly correlationHeader: string }

/** Findings of the text of a body. */
export async function findingsOf(text: string, judged: Judged): Promise<SaidAt> {
  const result = await library().lint([{ file: 'proxy.json', text }], { closedWorld: true })
  return result.ok ? saidAt(result.value.findings, judged) : {}
}

/** True where something among them is an error. */
export const hasErrors = (found: SaidAt): boolean =>
  Object.values(found)
    .flat()
    .some(({ severity }) => severity === 'error')

/** The findings while one types. */
export function useFindings(body: JsonObject, judged: Judged): SaidAt {
  const text = JSON.stringify(body)
  return useAnswer(() => findingsOf(text, judged), [text, judged.action, judged.correlationHeader]) ?? NOTHING
}

const NOTHING: SaidAt = {}

type Finding = {
  readonly pointer: string
  readonly severity: Said['severity']
  readonly message: string
  readonly help: string
}

/** Findings by place. */
function saidAt(findings: readonly Finding[], judged: Judged): SaidAt {
  const said: Record<string, Said[]> = {}
  for (const { pointer, severity, message, help } of findings) {
    const at = placeOf(pointer, judged)
    if (at === undefined) continue
    said[at] = [...(said[at] ?? []), { severity, text: `${message}. ${help}` }]
  }
  return said
}

/** The place of a field; undefined for what is not in the form. */
function placeOf(pointer: string, { action, correlationHeader }: Judged): string | undefined {
  if (pointer === correlationHeader) return 'correlationHeader'
  return pointer === action || pointer.startsWith(`${action}/`) ? pointer.slice(action.length + 1) : undefined
}

/** What is said of some places, with the problems of the form first: where a value is none, no rule has judged it. */
export function saidOf(places: readonly string[], problems: Problems, found: SaidAt): readonly Said[] {
  return places.flatMap((place) => {
    const problem = problems[place]
    return problem === undefined ? (found[place] ?? []) : [{ severity: 'error' as const, text: problem }]
  })
}
