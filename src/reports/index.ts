/** The formats of a report. A new one is a file and a line here. */
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { json } from './json.ts'
import { junit } from './junit.ts'
import { markdown } from './markdown.ts'
import type { Reporter } from './reporter.ts'
import { sarif } from './sarif.ts'
import { text } from './text.ts'

/** In the order in which the help lists them; the first is the default. */
export const REPORTERS: readonly Reporter[] = [text, json, sarif, junit, github, gitlab, markdown]
