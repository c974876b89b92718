/**
 * Checks the import law of .dependency-cruiser.mjs: `node scripts/import-law.mjs [folder]`.
 * A cruise that reads nothing finds nothing, so it also fails where it did not see a source file, or an import that
 * stands in one.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cruise } from 'dependency-cruiser'
import { forbidden, options } from '../.dependency-cruiser.mjs'

const ROOTS = ['src', 'rules', 'test', 'bench', 'scripts']
const SOURCE = /\.(?:ts|mjs)$/

/** Paths of the source files below a folder, relative to it, with forward slashes. */
function sourceFiles(folder) {
  return ROOTS.filter((root) => existsSync(join(folder, root)))
    .flatMap((root) => readdirSync(join(folder, root), { recursive: true }).map((path) => `${root}/${path}`))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => SOURCE.test(path) && !path.includes('/node_modules/'))
}

/** Statements that import or re-export, as this project's formatter writes them: at the start of a line. */
const IMPORT = /^(?:import|export)\b[^'"`;=]*?\bfrom '([^']+)'/gm

/** Imports that a glance at the text finds and the cruise did not report, as `file -> specifier`. */
function unseenImports(folder, files, modules) {
  const seen = new Set(
    modules.flatMap(({ source, dependencies }) =>
      dependencies.map((to) => `${source} -> ${to.protocol ?? ''}${to.module}`),
    ),
  )
  return files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(IMPORT)]
      .map(([, specifier]) => `${file} -> ${specifier}`)
      .filter((edge) => !seen.has(edge)),
  )
}

/** Where the law is broken (`{from, to, name, comment}`), and what was not read: source files and imports. */
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
  for (const what of unread) console.error(`${what} was not read by the import law`)
  if (files.length === 0) console.error(`no source files in ${folder}`)
  if (files.length === 0 || violations.length + unread.length > 0) return 1
  console.log(`import law: ${files.length} modules, no violation`)
  return 0
}

if (import.meta.main ?? process.argv[1] === import.meta.filename)
  process.exitCode = await main(resolve(process.argv[2] ?? '.'))
