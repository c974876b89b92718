/**
 * Records how kubectl reads the texts of test/fixtures/documents-kubectl/table.json, offline, one call each, into
 * answers.json beside it. Needs Node 22 and kubectl (any version; the file records which).
 *
 *     node scripts/record-kubectl.mjs
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = new URL('../test/fixtures/documents-kubectl/', import.meta.url)
const table = JSON.parse(readFileSync(new URL('table.json', folder), 'utf8'))
const scratch = mkdtempSync(join(tmpdir(), 'record-kubectl-'))

/** The result of kubectl for a text: the objects up to the first error, and the error. */
function ask(text) {
  const file = join(scratch, 'input.yaml')
  writeFileSync(file, text)
  const { stdout, stderr, error } = spawnSync('kubectl', ['annotate', '--local', '-f', file, 'asked=yes', '-o', 'json'])
  if (error) throw error
  const refusal = String(stderr).trim().replaceAll(file, 'input.yaml').replaceAll(scratch, '')
  return { objects: readObjects(String(stdout)), ...(refusal && { refusal }) }
}

/** Objects have no separator between them; each starts and ends with a brace in the first column. */
function readObjects(stdout) {
  return (stdout.match(/^\{$.*?^\}$/gms) ?? []).map((text) => {
    const object = JSON.parse(text, keepDigits)
    delete object.metadata.annotations.asked
    if (Object.keys(object.metadata.annotations).length === 0) delete object.metadata.annotations
    return object
  })
}

/** An integer that a double cannot hold is recorded by its digits. */
function keepDigits(_key, value, { source }) {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    ? { int64: source }
    : value
}

const version = JSON.parse(spawnSync('kubectl', ['version', '--client', '-o', 'json']).stdout).clientVersion.gitVersion
const head = table.head.join('\n')
const answers = {
  kubectl: version.replace(/-.*/, ''),
  scalars: Object.fromEntries(table.scalars.map((text) => [text, ask(`${head}\nspec: ${text}\n`)]).map(onlySpec)),
  keys: Object.fromEntries(table.keys.map((text) => [text, ask(`${head}\nspec:\n  ${text}: 1\n`)]).map(onlySpec)),
  texts: Object.fromEntries(Object.entries(table.texts).map(([name, row]) => [name, ask(textOf(row))])),
}

/** The whole file of a row, from its lines or its text. */
function textOf({ lines, text = `${lines.join('\n')}\n` }) {
  return text.replaceAll('HEAD', head)
}

function onlySpec([text, { objects, refusal }]) {
  return [text, refusal === undefined ? { spec: objects[0].spec } : { refusal }]
}

rmSync(scratch, { recursive: true })
const lines = (answer) =>
  Object.entries(answer)
    .map(([text, to]) => `    ${JSON.stringify(text)}: ${JSON.stringify(to)}`)
    .join(',\n')
const sections = ['scalars', 'keys', 'texts'].map((name) => `  "${name}": {\n${lines(answers[name])}\n  }`)
writeFileSync(new URL('answers.json', folder), `{\n  "kubectl": "${answers.kubectl}",\n${sections.join(',\n')}\n}\n`)
