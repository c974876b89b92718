/** All generated pages, pictures and manifests. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { RULES } from '../../rules/index.ts'
import { createPaint } from '../../src/reports/style.ts'
import { chartPages } from '../manifests/chart.ts'
import { dashboardPages } from '../manifests/dashboard.ts'
import { kustomizePages } from '../manifests/kustomize.ts'
import { meshChartPages } from '../manifests/mesh-chart.ts'
import { withInjectionTable } from './injection-table.ts'
import { libraryPage } from './library-page.ts'
import { manPage } from './man-page.ts'
import type { Page } from './page.ts'
import { withPolicyRules } from './policy-rules-table.ts'
import { reportsPage } from './reports-page.ts'
import { readGroups, withRooms } from './rooms.ts'
import { roomsPicture } from './rooms-picture.ts'
import { rulesPage } from './rules-page.ts'
import { runCommand } from './run-command.ts'
import { type Schema, settingsPage } from './settings-page.ts'
import { terminalPicture } from './terminal-picture.ts'
import { type Manifest, withVersions } from './versions-table.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Generates all of them. */
export async function makePages(): Promise<readonly Page[]> {
  const groups = await readGroups()
  return [
    { path: 'rules/README.md', text: rulesPage(RULES) },
    { path: 'docs/settings.md', text: settingsPage(readSchema(), read('docs/settings-example.yaml')) },
    { path: 'docs/reports.md', text: await reportsPage() },
    { path: 'man/sluice.1', text: await manPage(read('CHANGELOG.md')) },
    { path: 'docs/library.md', text: libraryPage(read('docs/library.md')) },
    { path: 'ARCHITECTURE.md', text: withRooms(read('ARCHITECTURE.md'), groups) },
    { path: 'docs/images/rooms.svg', text: roomsPicture(groups) },
    {
      path: 'docs/validating-admission-policy.md',
      text: withPolicyRules(read('docs/validating-admission-policy.md')),
    },
    { path: 'docs/mesh.md', text: withInjectionTable(read('docs/mesh.md')) },
    { path: 'docs/versions.md', text: withVersions(read('docs/versions.md'), readManifest()) },
    { path: 'docs/lint.svg', text: await lintPicture() },
    { path: 'docs/doctor.svg', text: doctorPicture(read('docs/doctor.md')) },
    ...kustomizePages(),
    ...chartPages(),
    ...meshChartPages(),
    ...dashboardPages(),
  ]
}

/** The transcript of the page, in the colours of a terminal. */
function doctorPicture(page: string): string {
  const [, shown = ''] = /```console\n(.*?)```/s.exec(page) ?? []
  const paint = createPaint(true)
  const colored = shown
    .replace(/^failure/gm, paint('error', 'failure'))
    .replace(/^( +)fix:/gm, `$1${paint('help', 'fix:')}`)
    .replace(/^\$ (.*)$/m, (_, line: string) => `${paint('good', '$')} ${paint('strong', line)}\n`)
    .replace(/^(\d+ checks: .*)$/m, (line) => paint('strong', line))
  return terminalPicture(colored, 'What sluice doctor says of a broken installation')
}

const read = (path: string): string => readFileSync(`${ROOT}/${path}`, 'utf8')

const readManifest = (): Manifest => JSON.parse(read('package.json'))

const readSchema = (): Schema => JSON.parse(read('schemas/sluice.config.schema.json'))

/** A few mistakes that show typical findings. */
const SHOWN = 'examples/mistakes/*{capitals,variable,small,api-key}.yaml'

/** The output in a terminal of 100 columns, without the duration of the run. */
async function lintPicture(): Promise<string> {
  const command = `npx sluice lint '${SHOWN}'`
  const { stdout } = await runCommand(['lint', SHOWN], 100)
  const shown = stdout.replace(/, 0\.00 s(?=\s*$)/, '')
  return terminalPicture(`\x1b[32m$\x1b[39m \x1b[1m${command}\x1b[22m\n\n${shown}`, `The output of ${command}`)
}
