/** SARIF 2.1.0, for code scanning and viewers of findings. One line per result. */

import type { ObjectName } from '../../engine/finding.ts'
import type { AnyRule } from '../../engine/rule.ts'
import type { LintReport, ReportedFinding, Suppression } from '../../lint/report.ts'
import type { Severity } from '../../settings/settings.ts'
import { counted } from '../../text/plural.ts'
import { createUnits, type FileLocation, fileLocation, type Units } from './places.ts'
import type { ReportContext, Reporter } from './reporter.ts'
import { type IdentifiedFinding, identifyFindings, isIncluded, WORST_FIRST } from './selection.ts'

/** The reporter of the format `sarif`. */
export const sarif: Reporter = {
  syntax: 'json',
  render: (report: LintReport, context: ReportContext): string => {
    const rules = describeRules(context.tool.rules)
    const identified = identifyFindings(report).filter(({ finding }) => isIncluded(finding, context))
    const results = describeResults(worstOf(identified), context)
    const { version } = context.tool
    const invocation = describeInvocation(report, identified.length - results.length, context)
    return `{"$schema":${JSON.stringify(SCHEMA)},"version":"2.1.0","runs":[{
"tool":{"driver":{"name":"sluice","version":${JSON.stringify(version)},"semanticVersion":${JSON.stringify(version)},"rules":${lines(rules)}}},
"columnKind":"utf16CodeUnits",
"originalUriBaseIds":${JSON.stringify({ [ROOT]: { description: { text: 'the root of the repository' } } })},
"results":${lines(results)}${invocation === undefined ? '' : `,\n"invocations":${lines([invocation])}`}
}]}
`
  },
}

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

/** The base of relative URIs. Not a path of this machine, so that the report is the same on every machine. */
const ROOT = '%SRCROOT%'

const lines = (entries: readonly unknown[]): string =>
  entries.length === 0 ? '[]' : `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`

/** GitHub's code scanning takes no file with more results a run. */
const MOST_RESULTS = 25_000

/** As many findings as a report takes, in their order: errors before the others, suppressed ones last. */
function worstOf(identified: readonly IdentifiedFinding[]): readonly IdentifiedFinding[] {
  if (identified.length <= MOST_RESULTS) return identified
  const rankOf = ({ finding: { severity }, suppression }: IdentifiedFinding): number =>
    suppression ? WORST_FIRST.length : WORST_FIRST.indexOf(severity)
  const kept = new Set(identified.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MOST_RESULTS))
  return identified.filter((one) => kept.has(one))
}

/** What was not judged or is left out; undefined where there is nothing of either. */
function describeInvocation({ notJudged }: LintReport, leftOut: number, { base }: ReportContext): object | undefined {
  if (notJudged.length === 0 && leftOut === 0) return undefined
  const ofFiles = notJudged.map(({ file, reason, code, fails = false, isError = fails }) => ({
    level: isError ? 'error' : 'note',
    message: { text: plain(`${file}: ${sentence(reason)}`) },
    locations: [{ physicalLocation: { artifactLocation: artifactLocation(fileLocation(file, base)) } }],
    properties: { code },
  }))
  const text = `${counted(leftOut, 'finding')} left out: a run of SARIF has at most ${MOST_RESULTS} results, the worst ones.`
  return {
    executionSuccessful: !notJudged.some(({ isError }) => isError),
    toolExecutionNotifications: [...ofFiles, ...(leftOut === 0 ? [] : [{ level: 'warning', message: { text } }])],
  }
}

/** What is computed once per file. */
type Artifact = { readonly location: object; readonly units: Units | undefined }

function describeResults(results: readonly IdentifiedFinding[], context: ReportContext): readonly object[] {
  const indexes = new Map(context.tool.rules.map(({ id }, index) => [id, index]))
  const artifacts = new Map<string, Artifact>()
  const artifactOf = (file: string) => {
    const artifact = artifacts.get(file) ?? createArtifact(file, context)
    artifacts.set(file, artifact)
    return artifact
  }
  return results.map((identified) => {
    const { rule, file } = identified.finding
    return describeResult(identified, indexes.get(rule), artifactOf(file), context)
  })
}

function createArtifact(file: string, { base, textOf }: ReportContext): Artifact {
  const text = textOf(file)
  return {
    location: artifactLocation(fileLocation(file, base)),
    units: text === undefined ? undefined : createUnits(text),
  }
}

const artifactLocation = ({ uri, isRelative }: FileLocation): object =>
  isRelative ? { uri, uriBaseId: ROOT } : { uri }

function describeResult(
  { finding, fingerprint, suppression }: IdentifiedFinding,
  ruleIndex: number | undefined,
  artifact: Artifact,
  context: ReportContext,
): object {
  const { rule, severity, message, help, pointer, object } = finding
  const fixes = describeFixes(finding, artifact, context)
  return {
    ruleId: rule,
    ...(ruleIndex === undefined ? {} : { ruleIndex }),
    level: LEVELS[severity],
    message: { text: plain([sentence(message), help].filter((part) => part !== '').join(' ')) },
    locations: [
      {
        physicalLocation: { artifactLocation: artifact.location, region: regionOf(finding, artifact.units) },
        ...(object.kind === '' ? {} : { logicalLocations: [logicalLocation(object)] }),
      },
    ],
    partialFingerprints: { 'sluice/v1': fingerprint },
    ...(fixes === undefined ? {} : { fixes }),
    ...(suppression === undefined ? {} : { suppressions: [describeSuppression(suppression)] }),
    ...(pointer === '' ? {} : { properties: { pointer } }),
  }
}

function regionOf({ line, column, endLine, endColumn }: ReportedFinding, units: Units | undefined): object {
  const columnOf = units?.columnOf ?? ((_: number, same: number) => same)
  return {
    startLine: line,
    startColumn: columnOf(line, column),
    endLine,
    endColumn: columnOf(endLine, endColumn),
  }
}

/** `RateLimitPolicy/shop/coffee` */
function logicalLocation({ kind, namespace, name }: ObjectName): object {
  const fullyQualifiedName = [kind, namespace, name].filter((part) => part !== '').join('/')
  return { ...(name === '' ? {} : { name }), fullyQualifiedName, kind: 'resource' }
}

function describeFixes(finding: ReportedFinding, { location, units }: Artifact, context: ReportContext) {
  const edits = context.editsOf?.(finding) ?? []
  if (units === undefined || edits.length === 0) return undefined
  const replacements = edits.map(({ start, end, text }) => {
    const [from, to] = [units.placeOf(start), units.placeOf(end)]
    return {
      deletedRegion: { startLine: from.line, startColumn: from.column, endLine: to.line, endColumn: to.column },
      ...(text === '' ? {} : { insertedContent: { text } }),
    }
  })
  const description = finding.help === '' ? {} : { description: { text: plain(finding.help) } }
  return [{ ...description, artifactChanges: [{ artifactLocation: location, replacements }] }]
}

const describeSuppression = ({ kind, reason }: Suppression): object => ({
  kind: kind === 'baseline' ? 'external' : 'inSource',
  ...(reason === '' ? {} : { justification: reason }),
})

const sentence = (message: string): string => (/[.!?\u2026]["')]?$/.test(message) ? message : `${message}.`)

/** Escapes what SARIF would read in a message as a placeholder `{0}` or a link `[text](target)`. */
const plain = (text: string): string => text.replace(/\{(\d+)\}/g, '{{$1}}').replace(/\[([^[\]]*)\](?=\()/g, '\\[$1\\]')

/** Every rule, with or without findings: a viewer shows what was checked. */
const describeRules = (rules: readonly AnyRule[]): readonly object[] => rules.map(describeRule)

/** The severities of SARIF. */
const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<Severity, string>

/** The severities of GitHub for findings other than vulnerabilities. */
const PROBLEM_SEVERITIES = { error: 'error', warning: 'warning', info: 'recommendation' } as const satisfies Record<
  Severity,
  string
>

const describeRule = (rule: AnyRule): object => ({
  id: rule.id,
  name: friendlyName(rule.id),
  shortDescription: { text: rule.summary },
  fullDescription: { text: rule.why },
  help: { text: `${rule.remedy}\n\nSource: ${rule.source}`, markdown: helpPage(rule) },
  defaultConfiguration: { level: LEVELS[rule.severity] },
  properties: {
    tags: ['nginx', 'rate-limiting', rule.id.slice(0, rule.id.indexOf('/'))],
    'problem.severity': PROBLEM_SEVERITIES[rule.severity],
  },
})

/** `gateway/rate-syntax` as the name of a rule in SARIF: `RateSyntax`. */
const friendlyName = (id: string): string =>
  id.slice(id.indexOf('/') + 1).replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())

function helpPage({ summary, why, remedy, source, examples }: AnyRule): string {
  const { bad, good } = examples()
  const wrong = bad === '' ? '' : `Wrong:\n\n${fenced(bad)}\n\n`
  const right = good === '' ? '' : `Right:\n\n${fenced(good)}\n\n`
  return `${escapeMarkup(summary)} ${escapeMarkup(why)}

**What to do.** ${escapeMarkup(remedy)}

${wrong}${right}Source: ${escapeMarkup(source)}
`
}

/** Escapes what Markdown would read as markup. */
const escapeMarkup = (text: string): string => text.trim().replace(/[<>*_`$]/g, (character) => `\\${character}`)

const fenced = (yaml: string): string => `\`\`\`yaml\n${yaml.trim()}\n\`\`\``
