/** `docs/reports.md`: every format, with what it says of two of the examples. */
import { FORMATS } from '../../src/reports/lint/formats.ts'
import { runCommand } from './run-command.ts'

/** One error and one warning. */
const SHOWN = ['examples/mistakes/long-queue.yaml', 'examples/mistakes/rate-in-capitals.yaml']

/** Writes the page. */
export async function reportsPage(): Promise<string> {
  const shown = new Map<string, string>()
  for (const { name } of FORMATS) shown.set(name, (await runCommand(['lint', ...SHOWN, '--format', name])).stdout)
  const example = (name: string) => (shown.get(name) ?? '').trimEnd()
  const mistakes = JSON.parse((await runCommand(['lint', 'examples/mistakes', '--format', 'sarif'])).stdout)
  const [{ results, tool }] = mistakes.runs
  return `<!-- Made by \`npm run docs\` from the reports themselves; edit scripts/docs/reports-page.ts. -->

# Reports

\`\`\`sh
sluice lint k8s                                        # text, for people
sluice lint k8s --format json                          # another format on the standard output
sluice lint k8s --output sarif=sluice.sarif --output junit=sluice.xml
sluice lint k8s --statistics                           # and how many findings each rule has
\`\`\`

\`--output NAME=FILE\` may be repeated; the standard output gets its report all the same. A file is written whole or not
at all: a failure leaves the old one. Where one cannot be written (its folder is not made) the others still are, the
report is still printed, and the exit code is 2.

| format | is | findings | suppressed findings |
|---|---|---|---|
${FORMATS.map(({ name, summary }) => `| [${name}](#${name}) | ${summary} | ${FINDINGS[name] ?? ''} | ${SUPPRESSED[name] ?? ''} |`).join('\n')}

*for people*: errors and warnings, infos with \`--info\`. *all*: whatever there is. \`--quiet\` leaves errors only, in
every format. Numbers in a summary count everything. \`--statistics\` stands below the text, in a member of the JSON, in
a table of the Markdown; beside the other formats it goes to the standard error. All formats say the same of the same
findings twice; but for the text, which tells the time that the run took, two runs over the same files write the same
bytes.

Paths are relative to the working directory. Where a runner of GitHub or GitLab names the root of the repository
(\`GITHUB_WORKSPACE\`, \`CI_PROJECT_DIR\`), \`sarif\`, \`junit\`, \`github\`, \`gitlab\` and \`markdown\` count from there, as those
platforms do.

The examples show what is said of \`${SHOWN[0]}\` and \`${SHOWN[1]}\`.

## text

${fenced('', example('text').replace(/, \d+\.\d\d s$/, ', 0.04 s'))}

Columns count characters. What could move the cursor of a terminal or turn text around is spelt out (\`\\x1b\`).

## json

${fenced('json', example('json'))}

One object, one line a finding; its members are a contract. Lines and columns count from 1, columns in characters, ends
are exclusive, \`pointer\` is a JSON Pointer into the object. \`suppressed\` holds findings with \`suppression\`: \`kind\`
(\`comment\`, \`annotation\`, \`baseline\`) and \`reason\`. \`statistics\`, when asked for, holds \`rule\`, \`findings\` and
\`suppressed\`. Members may be added; none is removed or changes its meaning within \`"version":1\`.

## sarif

SARIF 2.1.0. All rules are described, with reason, remedy and an example of each kind. One result, spread out:

${fenced('json', JSON.stringify(JSON.parse(example('sarif')).runs[0].results[1], undefined, 2))}

- Columns count UTF-16 units (\`columnKind\`), as SARIF asks for.
- \`partialFingerprints\` stay the same where lines move: they are made of rule, file, object, field and message.
- URIs are relative to \`%SRCROOT%\`, for which no path of the machine is given; a file outside is an absolute URI.
- \`fixes\` hold what \`lint --fix\` would write, \`suppressions\` why a finding stays quiet. GitHub's code scanning does not
  read suppressions and would show such findings as open: upload what \`--hide-suppressed\` gives.

A test holds the reports against the schema that OASIS publishes: of \`examples/mistakes\` (${results.length} results, ${tool.driver.rules.length} rules) its
validator has nothing to say. Microsoft's \`Sarif.Multitool validate\`, with the rules for GitHub too, finds no error and
warns that the tool names no home page.

\`\`\`yaml
- run: sluice lint k8s --output sarif=sluice.sarif --hide-suppressed
- if: always()
  uses: github/codeql-action/upload-sarif@v4
  with: { sarif_file: sluice.sarif }
\`\`\`

## junit

${fenced('xml', example('junit'))}

A suite a file, a case a finding, with a name that stays the same where lines move. What fails the run is a failure:
errors, and warnings where \`--max-warnings\` says so. Everything else is a skipped case, so that a pipeline that passes
has no red case. A file that names a judged kind and has no finding is one case that passes.

## github

${fenced('', example('github'))}

Workflow commands, which GitHub shows as annotations beside the lines of a change. In GitHub Actions
(\`GITHUB_ACTIONS=true\`) they follow the text report without being asked for. GitHub keeps ten errors, ten warnings and
ten notices of a step and drops the others in silence: the most severe come first, and a notice sums up the rest.

The runner reads the log for commands. What manifests and file names say is written so that it finds none, in every
format and on the standard error (\`##[\` becomes \`##\\x5b\` in text, \`##\\u005b\` in JSON).

## gitlab

${fenced('json', example('gitlab'))}

GitLab's Code Quality (\`artifacts:reports:codequality\`). Errors are \`critical\`, warnings \`major\`, infos \`info\`;
fingerprints are those of SARIF.

## markdown

${fenced('markdown', example('markdown'))}

For \`$GITHUB_STEP_SUMMARY\` or a comment on a pull request: at most 65,000 characters, most severe first, and how many
are left. Nothing that a manifest says is markup, a link or a mention of somebody.
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
