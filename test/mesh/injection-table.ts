/**
 * The truth table of automatic injection. Each line: automatic injection, namespace among the enabled, namespace among
 * the disabled; then whether a Pod gets the sidecar without the label, with `enabled`, with `disabled`, and in all three
 * cases with the annotation of a Pod that has it already.
 */
export const INJECTION_TABLE = `
on  -       -        | yes yes no | no
on  -       disabled | no  yes no | no
on  enabled -        | yes yes no | no
on  enabled disabled | no  yes no | no
off -       -        | no  yes no | no
off -       disabled | no  yes no | no
off enabled -        | yes yes no | no
off enabled disabled | yes yes no | no
`
