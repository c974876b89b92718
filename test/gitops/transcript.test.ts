/** docs/ci.md shows a pull request's run: `SLUICE_RECORD=1 npm run test:gitops` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { policy } from '../files/folder.ts'
import { gitIn } from '../files/repository.ts'
import { checkOut, createOrigin, pullRequest } from './origin.ts'
import { readAction, runAction } from './runner.ts'
import { ROOT } from './shell.ts'

const PAGE = join(ROOT, 'docs/ci.md')
const BLOCK = /(<!-- transcript: .*-->\n)([\s\S]*?)(<!-- end of transcript -->)/

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`

test("the page shows what a pull request's run does", () => {
  // Commits are named by what is in them, so their names do not change.
  vi.stubEnv('GIT_AUTHOR_DATE', '2026-01-31T12:00:00Z')
  vi.stubEnv('GIT_COMMITTER_DATE', '2026-01-31T12:00:00Z')
  const { url, commits } = createOrigin({
    start: { 'k8s/coffee.yaml': policy() },
    main: { 'k8s/tea.yaml': policy({ name: 'tea' }) },
    head: { 'k8s/coffee.yaml': policy().replace('$binary_remote_addr', '$binary_remote_addr$host') },
  })
  const workspace = checkOut(url, commits.merge)
  vi.unstubAllEnvs()
  const parents = gitIn(workspace)('cat-file', '-p', 'HEAD')
    .split('\n')
    .filter((line) => line.startsWith('parent'))
  expect(gitIn(workspace)('rev-list', '--count', 'HEAD')).toBe('1')
  const { name, payload } = pullRequest(commits)
  const ran = runAction({ workspace, event: { name, payload } })
  const log = ran.log.replace(/, \d+\.\d\d s$/m, '')
  const transcript = [
    fenced(
      'console',
      [
        '$ git cat-file -p HEAD | grep parent',
        ...parents,
        '$ git rev-list --count HEAD',
        '1',
        `$ jq -c '.pull_request.base | {ref, sha}' "$GITHUB_EVENT_PATH"`,
        JSON.stringify({ ref: payload.pull_request.base.ref, sha: payload.pull_request.base.sha }),
      ].join('\n'),
    ),
    `The first parent is a commit of the target branch. The step \`${readAction().runs.steps[0]?.id}\` fetches this one commit, compares, and ends with exit\ncode ${ran.status}. Its log:\n`,
    fenced('text', log),
    'The lines after the report are the annotations, which the runner removes from the log. The summary of the job:\n',
    fenced('markdown', ran.summary),
    'And the outputs:\n',
    fenced(
      'ini',
      Object.entries(ran.outputs)
        .map(([output, value]) => `${output}=${value}`)
        .join('\n'),
    ),
  ].join('\n')
  const page = readFileSync(PAGE, 'utf8')
  if (process.env.SLUICE_RECORD)
    writeFileSync(
      PAGE,
      page.replace(BLOCK, (_, head, _old, tail) => `${head}\n${transcript}\n${tail}`),
    )
  else expect(BLOCK.exec(page)?.[2]).toBe(`\n${transcript}\n`)
  expect(transcript).toContain('::error file=k8s/coffee.yaml,line=14')
})
