/**
 * The fixtures: `test/fixtures/<system>/<rule>/{bad,good,fixed}*.yaml`, found, not listed.
 * `previous*.yaml` beside one of the same ending is the version before the change. `remedies.yaml` is no fixture: it says
 * how the remedies of findings are carried out in the others (`test/remedies/`).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from 'js-yaml'
import { createBuilder } from '../src/kustomize/build.ts'
import type { LintOptions } from '../src/lint/lint.ts'
import { MENTIONS_DEPLOYMENT } from '../src/project/deployments.ts'
import { withKustomizations } from '../src/project/kustomize.ts'
import type { NamespaceHint, TextSource } from '../src/project/source.ts'
import { MENTIONS } from '../src/registry.ts'
import { DEFAULT_SETTINGS, type Settings } from '../src/settings/settings.ts'
import { createTexts } from '../src/yaml/documents.ts'

const ROOT = fileURLToPath(new URL('./fixtures', import.meta.url))

/** One fixture file. */
export type Fixture = {
  /** `gateway/rate-syntax` */
  readonly rule: string
  /** `bad-upper-case.yaml` */
  readonly name: string
  readonly path: string
  readonly text: string
  /** The text before the change, where there is one. */
  readonly previous: string | undefined
  /** What its first lines ask for: `# lint: {closedWorld: true, namespace: shop, settings: {conflict: any-field}}` */
  readonly options: Required<Pick<LintOptions, 'settings' | 'closedWorld'>> & Pick<LintOptions, 'today'>
  readonly namespace: NamespaceHint | undefined
}

type Wishes = {
  readonly closedWorld?: boolean
  readonly namespace?: string
  readonly settings?: Partial<Settings>
  /** The date of the run; without it no suppression ends. */
  readonly today?: string
  /** True where the objects are new, whatever version is before the change. */
  readonly created?: boolean
}

/** The one rule that is tested, for `npm run test:rule`: the fixtures of others are not read. */
export const ONLY_RULE = process.env.SLUICE_RULE

/** Reads every fixture of every rule, in order of name. */
export function readFixtures(): readonly Fixture[] {
  const rules = ['document', 'gateway', 'api-management', 'mesh'].flatMap((system) =>
    readdirSync(join(ROOT, system)).map((rule) => `${system}/${rule}`),
  )
  return rules
    .filter((rule) => ONLY_RULE === undefined || rule === ONLY_RULE)
    .flatMap((rule) =>
      readdirSync(join(ROOT, rule))
        .filter((name) => /\.(ya?ml|json)$/.test(name) && name !== 'remedies.yaml')
        .map((name) => readFixture(rule, join(ROOT, rule, name))),
    )
}

function readFixture(rule: string, path: string): Fixture {
  const previous = join(dirname(path), basename(path).replace(/^(?:bad|good|fixed)/, 'previous'))
  const before = existsSync(previous) ? readFileSync(previous, 'utf8') : undefined
  return withText({ rule, name: basename(path), path, previous: before }, readFileSync(path, 'utf8'))
}

/** A fixture with a text, judged as the first lines of that text ask for. */
export function withText(fixture: Pick<Fixture, 'rule' | 'name' | 'path' | 'previous'>, text: string): Fixture {
  const { closedWorld = false, namespace, settings = {}, created = false, today } = wishes(text)
  return {
    ...fixture,
    text,
    previous: created ? undefined : fixture.previous,
    options: { closedWorld, settings: mergeSettings(settings), today },
    namespace: namespace === undefined ? undefined : { fallback: namespace },
  }
}

/** A text as a run gets it: a kustomization is built, of itself alone. */
export function sourceOf(file: string, text: string, namespace?: NamespaceHint): TextSource {
  const source = { file, text, ...(namespace ? { namespace } : {}) }
  if (!MENTIONS_DEPLOYMENT.test(text)) return { ...source, ...buildIn(file, text) }
  const [deployed] = withKustomizations({ sources: [source], texts: createTexts() }, MENTIONS)
  return deployed && 'text' in deployed ? deployed : source
}

const buildIn = (file: string, text: string): Pick<TextSource, 'isPart' | 'builds'> => ({
  ...(/^kind: (?:Kustomization|Component)$/m.test(text)
    ? { isPart: true, builds: [{ folder: '.', createBuilder: buildOf(file) }] }
    : {}),
})

/** The file of a kustomization may have any name in a test. */
const buildOf =
  (file: string): typeof createBuilder =>
  (read, texts) =>
    createBuilder((path) => (path === 'kustomization.yaml' ? read(file) : undefined), texts, { hasData: () => false })

function wishes(text: string): Wishes {
  const line = /^# lint: (.*)$/m.exec(text)?.[1]
  return line ? (load(line) as Wishes) : {}
}

const mergeSettings = (own: Partial<Settings>): Settings => ({
  ...DEFAULT_SETTINGS,
  ...own,
  platform: { ...DEFAULT_SETTINGS.platform, ...own.platform },
  budgets: { ...DEFAULT_SETTINGS.budgets, ...own.budgets },
})
