/** SARIF 2.1.0: for code scanning and for viewers of findings. One line a result. */
import type { ObjectName } from '../../engine/finding.ts'
import type { LintReport, ReportedFinding, Suppression } from '../../lint/report.ts'
import { createUnits, type Location, locationOf, type Units } from './places.ts'
import type { ReportContext, Reporter } from './reporter.ts'
import { describeRules, LEVELS } from './sarif-rules.ts'
import { isTold, type NamedFinding, nameFindings } from './selection.ts'

export const sarif: Reporter = {
  syntax: 'json',
  render: (report: LintReport, context: ReportContext): string => {
    const rules = describeRules(context.tool.rules)
    const results = describeResults(report, context)
    const { version } = context.tool
    return `{"$schema":${JSON.stringify(SCHEMA)},"version":"2.1.0","runs":[{
"tool":{"driver":{"name":"sluice","version":${JSON.stringify(version)},"semanticVersion":${JSON.stringify(version)},"rules":${lines(rules)}}},
"columnKind":"utf16CodeUnits",
"originalUriBaseIds":${JSON.stringify({ [ROOT]: { description: { text: 'the root of the repository' } } })},
"results":${lines(results)}
}]}
`
  },
}

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

/** What relative URIs are relative to: no path of the machine, so that two machines write the same report. */
const ROOT = '%SRCROOT%'

const lines = (entries: readonly unknown[]): string =>
  entries.length === 0 ? '[]' : `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`

/** What is worked out once for a file. */
type Artifact = { readonly location: object; readonly units: Units | undefined }

function describeResults(report: LintReport, context: ReportContext): readonly object[] {
  const indexes = new Map(context.tool.rules.map(({ id }, index) => [id, index]))
  const artifacts = new Map<string, Artifact>()
  const artifactOf = (file: string) => {
    const artifact = artifacts.get(file) ?? createArtifact(file, context)
    artifacts.set(file, artifact)
    return artifact
  }
  return nameFindings(report)
    .filter(({ finding }) => isTold(finding, context))
    .map((named) => describeResult(named, indexes.get(named.finding.rule), artifactOf(named.finding.file), context))
}

function createArtifact(file: string, { base, textOf }: ReportContext): Artifact {
  const text = textOf(file)
  return {
    location: artifactLocation(locationOf(file, base)),
    units: text === undefined ? undefined : createUnits(text),
  }
}

const artifactLocation = ({ uri, isRelative }: Location): object => (isRelative ? { uri, uriBaseId: ROOT } : { uri })

function describeResult(
  { finding, fingerprint, suppression }: NamedFinding,
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

const sentence = (message: string): string => (/[.!?…]["')]?$/.test(message) ? message : `${message}.`)

/** A message may hold placeholders `{0}` and links `[text](target)`: what reads like one and is none is escaped. */
const plain = (text: string): string => text.replace(/\{(\d+)\}/g, '{{$1}}').replace(/\[([^[\]]*)\](?=\()/g, '\\[$1\\]')
