/**
 * Reports by transcripts: a format, what it is about in YAML (`findings` and `suppressed`, each with what differs from
 * the finding of test/reports/report.ts, and parts of the context), and behind `|` the member of its JSON to show. An
 * `event` is one of a running nginx.
 */
import { readFileSync } from 'node:fs'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { load } from 'js-yaml'
import { expect } from 'vitest'
import type { ReportedFinding, SuppressedFinding } from '../../src/lint/report.ts'
import { FORMATS } from '../../src/reports/lint/formats.ts'
import type { ReportContext } from '../../src/reports/lint/reporter.ts'
import type { LiveEvent } from '../../src/reports/live/events.ts'
import { eventText } from '../../src/reports/live/text.ts'
import { SCHEMA } from '../support/cases.ts'
import { describeTranscripts, memberOf } from '../support/transcripts.ts'
import { parseXml } from './hostile.ts'
import { context, finding, reportOf, suppressedFinding } from './report.ts'

type Suppressed = Partial<ReportedFinding> & { readonly by?: SuppressedFinding['suppression']['kind'] }

type Asked = Partial<ReportContext> & {
  readonly findings?: readonly Partial<ReportedFinding>[]
  readonly suppressed?: readonly Suppressed[]
  readonly documents?: number
  readonly files?: readonly string[] | number
  readonly text?: string | null
  readonly edits?: ReturnType<NonNullable<ReportContext['editsOf']>>
}

type AskedEvent = LiveEvent & { readonly context?: Parameters<typeof eventText>[1]; readonly width?: number }

/** The text of every file, unless another one is given. */
const TEXT = `spec:\nrate: 10R/S # fast\n${Array.from({ length: 120 }, (_, index) => `line ${index + 3}\n`).join('')}`

const ajv = new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false })
addFormats.default(ajv)
const isSarif = ajv.compile(JSON.parse(readFileSync(new URL('./sarif-schema-2.1.0.json', import.meta.url), 'utf8')))

async function report(format: string, asked: Asked): Promise<string> {
  const { findings = [{}], suppressed = [], documents = 9, files = [], text = TEXT, edits, ...parts } = asked
  const count = typeof files === 'number' ? { documents, files } : { documents }
  const hidden = suppressed.map(({ by, ...rest }) => suppressedFinding(rest, by && { kind: by, reason: 'agreed' }))
  const reporter = await FORMATS.find(({ name }) => name === format)?.load()
  if (!reporter) throw new Error(`there is no format ${format}`)
  const rendered = reporter.render(
    reportOf(findings.map(finding), { ...count, suppressed: hidden }),
    context(text ?? undefined, {
      ...parts,
      files: typeof files === 'number' ? [] : files,
      ...(edits ? { editsOf: () => edits } : {}),
    }),
  )
  if (format === 'junit') parseXml(rendered)
  if (format === 'sarif') expect(isSarif(JSON.parse(rendered)), JSON.stringify(isSarif.errors)).toBe(true)
  return rendered
}

/** A member of JSON, an item a line, without the numbers that a new rule moves. */
function member(json: string, path: string): string {
  const value = memberOf(
    JSON.parse(json, (key, inner: unknown) => (key === 'ruleIndex' ? undefined : inner)),
    path,
  )
  return (Array.isArray(value) ? value : [value]).map((item) => `${JSON.stringify(item)}\n`).join('')
}

describeTranscripts(new URL('../fixtures/reports/', import.meta.url), (_, own) =>
  Promise.all(
    own.map(async ({ name }) => {
      const [, format = '', yaml = '', path] = /^(\w+) (\{.*\})(?: \| (\S+))?$/.exec(name) ?? []
      const asked = load(yaml, { schema: SCHEMA })
      let text: string
      if (format === 'event') {
        const { context: around = {}, width, ...event } = asked as AskedEvent
        text = eventText(event as LiveEvent, around, { color: false, width })
        const colored = eventText(event as LiveEvent, around, { color: true, width })
        expect(colored.replace(new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g'), '')).toBe(text)
      } else text = await report(format, asked as Asked)
      const shown = path === undefined ? text : member(text, path)
      const end = shown === '' || shown.endsWith('\n') ? '' : '\n'
      const visible = (found: string) => String.fromCodePoint(0x2400 + found.charCodeAt(0))
      return { name, text: (shown + end).replaceAll(/[^\n\P{Cc}]/gu, visible) }
    }),
  ),
)
