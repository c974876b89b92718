/** `docs/reports.md`: every format, with the report for two of the examples. */
import { FORMATS } from '../../src/reports/lint/formats.ts'
import { runCommand } from './run-command.ts'

/** One error and one warning. */
const SHOWN = ['examples/mistakes/delay-as-large-as-burst.yaml', 'examples/mistakes/rate-in-capitals.yaml']

/** The text of the page. */
export async function reportsPage(): Promise<string> {
  const shown = new Map<string, string>()
  for (const { name } of FORMATS) shown.set(name, (await runCommand(['lint', ...SHOWN, '--format', name])).stdout)
  const example = (name: string) => (shown.get(name) ?? '').trimEnd()
  return `<!-- Made by \`npm run docs\` from the reports themselves; edit scripts/docs/reports-page.ts. -->

# Reports

Give the findings of a run to people and to programs:

\`\`\`sh
sluice lint k8s                                        # text
sluice lint k8s --format json                          # another format on the standard output
sluice lint k8s --output sarif=sluice.sarif --output junit=sluice.xml
sluice lint k8s --statistics                           # also counts the findings of each rule
\`\`\`

A file is written completely or not at all. If one cannot be written (folders are not created), the others are, the report is
printed, and the exit code is 2.

| format | description | findings | suppressed findings |
|---|---|---|---|
${FORMATS.map(({ name, summary }) => `| [${name}](#${name}) | ${summary} | ${FINDINGS[name] ?? ''} | ${SUPPRESSED[name] ?? ''} |`).join('\n')}

*for people*: errors and warnings; infos with \`--info\`. With \`--quiet\` every format has errors only. Summaries count everything.
\`--statistics\` are in the text, the JSON and the Markdown, with other formats on the standard error.

Paths are relative to the working directory; in \`sarif\`, \`junit\`, \`github\`, \`gitlab\` and \`markdown\` to the root of the
repository where a runner names it (\`GITHUB_WORKSPACE\`, \`CI_PROJECT_DIR\`).

## text

${fenced('', example('text').replace(/, \d+\.\d\d s$/, ', 0.04 s'))}

Columns count characters. Control characters and those that change the direction of text are escaped (\`\\x1b\`).

## json

${fenced('json', example('json'))}

One object ([schema](../schemas/lint.schema.json)), with one line per finding: while \`version\` is 1, members may be added, and
none is removed or changes its meaning. Lines and columns count from 1, columns in characters, ends are exclusive.
\`pointer\` is a JSON Pointer into the object. \`suppressed\` holds findings with \`suppression\`: \`kind\` (\`comment\`,
\`annotation\`, \`baseline\`) and \`reason\`. \`notJudged\` holds \`file\`, \`reason\` and its \`code\` of what may concern a policy: what cannot be
read, templates, patches, what is defined twice. \`fails\` is true where [\`--fail-on-unjudged\`](lint.md#what-is-read) fails for
it, an error \`not-judged/CODE\` of other formats. \`statistics\` holds \`rule\`, \`findings\` and \`suppressed\`.

## sarif

It describes all rules, with reason, remedy, a bad example and a good one. One result, a member a line:

${fenced('json', membersOf(JSON.parse(example('sarif')).runs[0].results[1]))}

- Columns count UTF-16 code units (\`columnKind\`), as SARIF requires.
- \`partialFingerprints\` do not change when lines move.
- URIs are relative to \`%SRCROOT%\`; files outside of it have absolute URIs.
- \`invocations\` contain what was not judged, as \`toolExecutionNotifications\`: errors for what could not be read or fails
  the run, notes for the rest.
- \`fixes\` contain what \`lint --fix\` would write. GitHub's code scanning would show suppressed findings as open: upload a report
  of \`--hide-suppressed\` ([ci.md](ci.md#github-actions)).

## junit

${fenced('xml', example('junit'))}

One suite per file, one case per finding, whose name does not change when lines move. Failures are errors, and warnings beyond
\`--max-warnings\`; other findings are skipped. A file without a finding is one case that passes.

## github

${fenced('', example('github'))}

Workflow commands, shown as annotations; in GitHub Actions (\`GITHUB_ACTIONS=true\`) they follow the text report. GitHub keeps ten
errors, ten warnings and ten notices of a step: the most severe come first, and a notice sums up the rest.

Text from manifests and file names never becomes a command of the runner, in any format and on the standard error (\`##[\` becomes
\`##\\x5b\` in text, \`##\\u005b\` in JSON).

## gitlab

${fenced('json', example('gitlab'))}

For \`artifacts:reports:codequality\`. Errors are \`critical\`, warnings \`major\`, infos \`info\`;
fingerprints are those of SARIF.

## markdown

${fenced('markdown', example('markdown'))}

For \`$GITHUB_STEP_SUMMARY\` or a comment: at most 65,000 characters, the most severe findings first, then the number of the
others. Text from manifests is escaped: no markup, links or mentions.
`
}

const FINDINGS: Readonly<Record<string, string>> = {
  text: 'for people',
  json: 'all',
  sarif: 'all',
  junit: 'all',
  github: 'for people',
  gitlab: 'all',
  markdown: 'for people',
}

const SUPPRESSED: Readonly<Record<string, string>> = {
  text: 'their number',
  json: 'in `suppressed`, unless `--hide-suppressed`',
  sarif: 'with `suppressions`, unless `--hide-suppressed`',
  junit: 'left out',
  github: 'left out',
  gitlab: 'left out',
  markdown: 'their number',
}

/** An object with a member on each line. */
const membersOf = (object: object): string =>
  `{\n${Object.entries(object)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n')}\n}`

const fenced = (language: string, text: string): string => `\`\`\`\`${language}\n${text}\n\`\`\`\``
