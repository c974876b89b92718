/** The scripts of `sluice completion` complete in real shells. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sluice } from '../cli/run.ts'
import { casesOf } from '../support/cases.ts'

type Completed = readonly [what: string, lines: readonly (readonly [line: string, ...offers: (string | RegExp)[]])[]]
const COMPLETED = casesOf(import.meta.url).cases<readonly Completed[]>('completed')

const SHELLS = ['bash', 'fish', 'zsh'] as const
type Shell = (typeof SHELLS)[number]

/** A folder for each shell, with its script and some files; what zsh has read of its own functions stays there. */
const root = mkdtempSync(join(tmpdir(), 'sluice-completion-'))
const folderOf = (shell: Shell): string => join(root, shell)
beforeAll(async () => {
  for (const shell of SHELLS) {
    for (const name of ['k8s', 'kiosk']) mkdirSync(join(folderOf(shell), name), { recursive: true })
    for (const name of ['k8s/coffee.yaml', 'kiosk/a.yaml', 'k.yaml']) writeFileSync(join(folderOf(shell), name), '')
    const { stdout, code } = await sluice(['completion', shell])
    expect(code).toBe(0)
    writeFileSync(join(folderOf(shell), 'completion'), stdout)
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function run(program: string, parameters: readonly string[], cwd: string): string {
  const env = { ...process.env, HOME: cwd, XDG_CONFIG_HOME: cwd, XDG_DATA_HOME: cwd, TERM: 'xterm' }
  const { stdout, stderr, error } = spawnSync(program, parameters, { cwd, encoding: 'utf8', env })
  if (error) throw error
  expect(stderr).toBe('')
  return stdout
}

/** What bash offers for a line that is split as readline does: an equals sign is a word of its own. */
async function inBash(line: string): Promise<readonly string[]> {
  const words = line.split(/(=)| /).filter((word) => word !== undefined && (word !== '' || line.endsWith(' ')))
  const list = words.map((word) => `'${word}'`).join(' ')
  const script = `source ./completion; COMP_WORDS=(${list}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _sluice
    printf '%s\\n' "\${COMPREPLY[@]}"`
  return run('bash', ['--norc', '-c', script], folderOf('bash')).split('\n').filter(Boolean)
}

/** What fish offers. */
async function inFish(line: string): Promise<readonly string[]> {
  const output = run('fish', ['-c', `source ./completion; complete -C '${line}'`], folderOf('fish'))
  return output
    .split('\n')
    .filter(Boolean)
    .map((entry) => entry.split('\t')[0] ?? '')
}

/** What zsh offers: the completion widget runs in a terminal of its own, and what it would show is recorded. */
async function inZsh(line: string): Promise<readonly string[]> {
  const folder = folderOf('zsh')
  for (const name of ['offered', 'finished']) rmSync(join(folder, name), { force: true })
  writeFileSync(
    join(folder, 'terminal.zsh'),
    `zmodload zsh/zpty
zpty terminal zsh -f -i
zpty -w terminal "PROMPT= RPROMPT=; autoload -Uz compinit; compinit -u -d ./dump; source ./completion
zmodload zsh/zutil; zstyle ':completion:*' list-prompt ''
function compadd() { local -a found; builtin compadd -A found \\"\\$@\\"; (( \\$#found )) && print -rl -- \\$found >> ./offered; builtin compadd \\"\\$@\\" }
function offer() { zle complete-word; print -r -- done > ./finished; }
zle -N offer; bindkey '^I' offer"
zpty -w -n terminal ${JSON.stringify(line)}$'\\t'
for ((i = 0; i < 600; i++)); do [[ -e ./finished ]] && break; zpty -r -t terminal output || sleep 0.05; done
zpty -d terminal
[[ -e ./finished ]] || print -u 2 "zsh did not complete"
[[ -e ./offered ]] && cat ./offered
true
`,
  )
  return [...new Set(run('zsh', ['-f', 'terminal.zsh'], folder).split('\n').filter(Boolean))]
}

describe.each([
  ['bash', inBash],
  ['fish', inFish],
  ['zsh', inZsh],
])('%s', (shell, offered) => {
  it.each(COMPLETED)('completes %s', async (_, lines) => {
    for (const [line, ...expected] of lines)
      expect((await offered(line)).toSorted(), line).toEqual(
        expected.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))),
      )
  })

  it('completes files and folders', async () => {
    // bash completes the names of files by itself where nothing is offered.
    if (shell !== 'bash') expect((await offered('sluice lint k8s/c')).join()).toContain('coffee.yaml')
    expect((await offered('sluice lint --within k')).map((name) => name.replace(/\/$/, '')).sort()).toEqual([
      'k8s',
      'kiosk',
    ])
  })
})

it('the script of bash leaves the names of files to readline', async () => {
  expect(await inBash('sluice lint k8s/c')).toEqual([])
  expect(await inBash('sluice lint --fix k')).toEqual([])
  expect((await sluice(['completion', 'bash'])).stdout).toContain('complete -o default -F _sluice sluice')
})
