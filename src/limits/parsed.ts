/** The outcome of reading a text: its meaning, or the reason why it has none. */
export type Parsed<Value, Problem extends string = string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem }

/** Shorthand for a text that was understood. */
export const understood = <Value>(value: Value): { ok: true; value: Value } => ({ ok: true, value })

/** Shorthand for a text that was refused. */
export const refused = <Problem extends string>(problem: Problem): { ok: false; problem: Problem } => ({
  ok: false,
  problem,
})
