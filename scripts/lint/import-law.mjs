/**
 * Checks the import law of .dependency-cruiser.mjs: `node scripts/lint/import-law.mjs [folder]`.
 * A cruise that reads nothing finds nothing, so this also fails where the cruise did not see a source file or an import.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cruise } from 'dependency-cruiser'
import { forbidden, options } from '../../.dependency-cruiser.mjs'

const ROOTS = ['src', 'rules', 'test', 'bench', 'scripts']
const SOURCE = /\.(?:tsx?|mjs)$/

/** Paths of the source files below a folder, relative to it, with forward slashes. */
function sourceFiles(folder) {
  return ROOTS.filter((root) => existsSync(join(folder, root)))
    .flatMap((root) => readdirSync(join(folder, root), { recursive: true }).map((path) => `${root}/${path}`))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => SOURCE.test(path) && !path.includes('/node_modules/'))
}

/**
 * Every form of import, as this project's formatter writes it, on one line or on several: statements, which begin a
 * line (`import … from 'x'`, `import 'x'`, `export … from 'x'`), and calls and types (`import('x')`). Tests quote code,
 * and may import anything: of theirs only statements are checked.
 */
const STATEMENTS = [/^(?:import|export)\b[^'"`;=]*?\bfrom '([^']+)'/gm, /^import '([^']+)'/gm]
const CALLS = [/\bimport\(\s*'([^']+)'/g]

/** The specifiers of the imports in a file's text, comments left out. */
function specifiersIn(file, text) {
  const forms = /^(?:src|rules)\//.test(file) ? [...STATEMENTS, ...CALLS] : STATEMENTS
  const code = text.replace(/^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)$/gm, '')
  return forms.flatMap((form) => [...code.matchAll(form)].map(([, specifier]) => specifier))
}

/** An import as it is written. Modules that Node has only with `node:` in front, as node:sqlite, carry it in their name. */
const specifierOf = ({ protocol = '', module }) => (module.startsWith(protocol) ? module : `${protocol}${module}`)

/** Imports that are in the text of the files and not in the result of the cruise, as `file -> specifier`. */
function unseenImports(folder, files, modules) {
  const seen = new Set(
    modules.flatMap(({ source, dependencies }) => dependencies.map((to) => `${source} -> ${specifierOf(to)}`)),
  )
  return files.flatMap((file) =>
    specifiersIn(file, readFileSync(join(folder, file), 'utf8'))
      .map((specifier) => `${file} -> ${specifier}`)
      .filter((edge) => !seen.has(edge)),
  )
}

/** Violations of the law (`{from, to, name, comment}`), and what was not read: source files and imports. */
export async function checkImportLaw(folder, how = options) {
  const files = sourceFiles(folder)
  const roots = ROOTS.filter((root) => existsSync(join(folder, root)))
  const { output } = await cruise(roots, { ...how, validate: true, ruleSet: { forbidden }, baseDir: folder })
  const read = new Set(output.modules.filter(({ couldNotResolve }) => !couldNotResolve).map(({ source }) => source))
  const reasons = new Map(forbidden.map(({ name, comment }) => [name, comment]))
  return {
    files,
    unread: [...files.filter((file) => !read.has(file)), ...unseenImports(folder, files, output.modules)],
    violations: output.summary.violations.map(({ from, to, cycle, rule }) => ({
      from,
      to: cycle ? cycle.map(({ name }) => name).join(' -> ') : to,
      name: rule.name,
      comment: reasons.get(rule.name),
    })),
  }
}

async function main(folder) {
  const { files, unread, violations } = await checkImportLaw(folder)
  for (const { from, to, name, comment } of violations)
    console.error(`${from === to ? from : `${from} -> ${to}`}\n  breaks ${name}: ${comment}`)
  for (const what of unread) console.error(`${what} was not read by the import law (a type needs "import type")`)
  if (files.length === 0) console.error(`no source files in ${folder}`)
  if (files.length === 0 || violations.length + unread.length > 0) return 1
  console.log(`import law: ${files.length} modules, no violation`)
  return 0
}

if (import.meta.main ?? process.argv[1] === import.meta.filename)
  process.exitCode = await main(resolve(process.argv[2] ?? '.'))
