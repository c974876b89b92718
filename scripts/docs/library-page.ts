/** The examples of docs/library.md: one program, whose output is shown below each part. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A part of the program, with the output below it where it has one. */
const PART = /^```ts\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm

/** The whole program of the page. */
export const libraryProgram = (page: string): string => partsOf(page).join(SEPARATOR_LINE)

const partsOf = (page: string): readonly string[] => [...page.matchAll(PART)].map(([, code = '']) => code)

const SEPARATOR = '\u001e'
const SEPARATOR_LINE = `console.log(${JSON.stringify(SEPARATOR)})\n`

/** The page with the output of the built library. Throws where the program fails. */
export function libraryPage(page: string): string {
  const outputs = runProgram(libraryProgram(page)).split(`${SEPARATOR}\n`)
  let part = 0
  return page.replace(PART, (_, code: string) => {
    const output = outputs[part++] ?? ''
    return `\`\`\`ts\n${code}\`\`\`\n${output === '' ? '' : `\n\`\`\`text\n${output}\`\`\`\n`}`
  })
}

/** Runs a program in a folder where the package is installed; returns its output. */
function runProgram(program: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-library-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules', 'sluice'))
    writeFileSync(join(folder, 'program.mts'), program)
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, NODE_OPTIONS: undefined }
    const { stdout, stderr } = spawnSync(process.execPath, ['program.mts'], { cwd: folder, encoding: 'utf8', env })
    if (stderr !== '') throw new Error(`the program of docs/library.md failed:\n${stdout}${stderr}`)
    return stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
