/** The formats of a report. A new one is a file and a line here. */
import { json } from './json.ts'
import type { Reporter } from './reporter.ts'
import { text } from './text.ts'

/** In the order in which the help lists them; the first is the default. */
export const REPORTERS: readonly Reporter[] = [text, json]
