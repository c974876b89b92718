/** The flags of `sluice lint`. */

import { COMPARISON_FLAGS } from '../core/comparison.ts'
import type { Args } from '../core/flags.ts'
import { CLUSTER_FLAGS } from '../core/inputs.ts'
import { BASELINE_FLAGS } from './baseline.ts'
import { FIX_FLAGS } from './fix.ts'
import { OUTPUT_FLAGS } from './output.ts'
import { WITHIN_FLAGS } from './within.ts'

/** By name, in the order in which the help lists them. */
export const FLAGS = {
  ...OUTPUT_FLAGS,
  'max-warnings': { value: 'N', summary: 'fail when there are more than N warnings' },
  rule: { value: 'ID=SEVERITY', summary: 'set a rule to off, info, warning, error; repeatable' },
  config: { value: 'FILE', summary: 'settings; default: sluice.config.yaml here or above' },
  namespace: { short: 'n', value: 'NS', summary: 'the namespace of manifests that name none' },
  'closed-world': { summary: 'the files are all there is: what they lack is absent' },
  ...FIX_FLAGS,
  ...WITHIN_FLAGS,
  ...COMPARISON_FLAGS,
  ...CLUSTER_FLAGS,
  ...BASELINE_FLAGS,
  color: { value: 'WHEN', summary: 'auto, always or never; default: auto' },
  verbose: { summary: 'show where a fault of sluice comes from' },
} as const

/** What a command line of `sluice lint` says. */
export type LintFlags = Args<keyof typeof FLAGS>
