/** `docs/reports.md`: every format, with the report for two of the examples. */
import { FORMATS } from '../../src/reports/lint/formats.ts'
import { runCommand } from './run-command.ts'

/** One error and one warning. */
const SHOWN = ['examples/mistakes/long-queue.yaml', 'examples/mistakes/rate-in-capitals.yaml']

/** The text of the page. */
export async function reportsPage(): Promise<string> {
  const shown = new Map<string, string>()
  for (const { name } of FORMATS) shown.set(name, (await runCommand(['lint', ...SHOWN, '--format', name])).stdout)
  const example = (name: string) => (shown.get(name) ?? '').trimEnd()
  const mistakes = JSON.parse((await runCommand(['lint', 'examples/mistakes', '--format', 'sarif'])).stdout)
  const [{ results, tool }] = mistakes.runs
  return `<!-- Made by \`npm run docs\` from the reports themselves; edit scripts/docs/reports-page.ts. -->

# Reports

\`\`\`sh
sluice lint k8s                                        # text
sluice lint k8s --format json                          # another format on the standard output
sluice lint k8s --output sarif=sluice.sarif --output junit=sluice.xml
sluice lint k8s --statistics                           # also counts the findings of each rule
\`\`\`

\`--output NAME=FILE\` may be repeated, and does not change what the standard output gets. A file is written completely or
not at all: if writing fails, the old file stays. If one file cannot be written (its folder is not created), the others
are still written, the report is still printed, and the exit code is 2.

| format | description | findings | suppressed findings |
|---|---|---|---|
${FORMATS.map(({ name, summary }) => `| [${name}](#${name}) | ${summary} | ${FINDINGS[name] ?? ''} | ${SUPPRESSED[name] ?? ''} |`).join('\n')}

*for people*: errors and warnings; infos with \`--info\`. *all*: all findings. With \`--quiet\` every format has errors only.
The numbers of a summary count everything. \`--statistics\` are printed below the text, in a member of the JSON and in a
table of the Markdown; with the other formats they are printed on the standard error. Two runs over the same files write
the same bytes, except for the text report, which shows how long the run took.

Paths are relative to the working directory. Where a runner of GitHub or GitLab sets the root of the repository
(\`GITHUB_WORKSPACE\`, \`CI_PROJECT_DIR\`), the paths in \`sarif\`, \`junit\`, \`github\`, \`gitlab\` and \`markdown\` are relative to
that root, as those platforms expect.

The examples are the reports for \`${SHOWN[0]}\` and \`${SHOWN[1]}\`.

## text

${fenced('', example('text').replace(/, \d+\.\d\d s$/, ', 0.04 s'))}

Columns count characters. Characters that move the cursor of a terminal or change the direction of text are escaped
(\`\\x1b\`).

## json

${fenced('json', example('json'))}

One object, with one line per finding; its members are a contract. Lines and columns count from 1, columns in
characters, ends are exclusive, and \`pointer\` is a JSON Pointer into the object. \`suppressed\` holds findings
with \`suppression\`: \`kind\` (\`comment\`, \`annotation\`, \`baseline\`) and \`reason\`. \`notJudged\` holds \`file\` and
\`reason\` of what was not judged although it may concern a policy: what cannot be read, templates, patches, what is
defined twice. [schemas/lint.schema.json](../schemas/lint.schema.json) is the JSON Schema of all of it. With
\`--statistics\`, \`statistics\` holds \`rule\`, \`findings\` and \`suppressed\`. Members may be added; as long as \`version\` is 1, none is removed or changes its
meaning.

## sarif

SARIF 2.1.0. It describes all rules, with reason, remedy, a bad example and a good one. One result, formatted:

${fenced('json', JSON.stringify(JSON.parse(example('sarif')).runs[0].results[1], undefined, 2))}

- Columns count UTF-16 code units (\`columnKind\`), as SARIF requires.
- \`partialFingerprints\` do not change when lines move: they are computed from rule, file, object, field and message.
- URIs are relative to \`%SRCROOT%\`, for which the report contains no path. Files outside of it have absolute URIs.
- \`invocations\` contain what was not judged, as \`toolExecutionNotifications\`: errors for what could not be read, notes
  for the rest.
- \`fixes\` contain what \`lint --fix\` would write, \`suppressions\` why a finding is suppressed. GitHub's code scanning
  ignores suppressions and would show such findings as open: upload a report that was written with \`--hide-suppressed\`.

A test validates the reports against the schema that OASIS publishes; the report for \`examples/mistakes\`
(${results.length} results, ${tool.driver.rules.length} rules) is valid. Microsoft's \`Sarif.Multitool validate\`, with the rules for GitHub, finds no error
and warns that the tool has no home page.

\`\`\`yaml
- run: sluice lint k8s --output sarif=sluice.sarif --hide-suppressed
- if: always()
  uses: github/codeql-action/upload-sarif@v4
  with: { sarif_file: sluice.sarif }
\`\`\`

## junit

${fenced('xml', example('junit'))}

One suite per file and one case per finding, whose name does not change when lines move. Findings that fail the run are
failures: errors, and warnings if \`--max-warnings\` is exceeded. All other findings are skipped cases, so a pipeline that
passes has no failed case. A file with checked objects and no finding is one case that passes.

## github

${fenced('', example('github'))}

Workflow commands, which GitHub shows as annotations beside the lines of a change. In GitHub Actions
(\`GITHUB_ACTIONS=true\`) they follow the text report automatically. GitHub keeps ten errors, ten warnings and ten notices
of a step, and ignores the others: the most severe come first, and a notice sums up the rest.

The runner executes commands that it finds in the log. Text from manifests and file names is escaped so that it finds
none, in every format and on the standard error (\`##[\` becomes \`##\\x5b\` in text, \`##\\u005b\` in JSON).

## gitlab

${fenced('json', example('gitlab'))}

GitLab's Code Quality (\`artifacts:reports:codequality\`). Errors are \`critical\`, warnings \`major\`, infos \`info\`;
fingerprints are those of SARIF.

## markdown

${fenced('markdown', example('markdown'))}

For \`$GITHUB_STEP_SUMMARY\` or a comment on a pull request: at most 65,000 characters, the most severe findings first,
then the number of the others. Text from manifests is escaped: it cannot contain markup, links or mentions of users.
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

const fenced = (language: string, text: string): string => `\`\`\`\`${language}\n${text}\n\`\`\`\``
