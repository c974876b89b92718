/** kubectl reads what follows from the remedies of `document/syntax`, and rejects or cuts what they are told for. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { programOf } from '../../scripts/kube-apiserver.ts'
import { createFolder } from '../files/folder.ts'
import { STYLES, SYNTAX_CASES } from '../remedies/syntax-cases.ts'

const kubectl = programOf('kubectl')
const hasKubectl = spawnSync(kubectl, ['version', '--client']).status === 0
if (!hasKubectl) console.log('no kubectl: its readings of broken texts are left out')

/** What kubectl reads of a text: the names of its objects, and why it does not read all of them. */
function read(text: string): { readonly names: string; readonly rejection: string } {
  const file = join(createFolder({ 'asked.yaml': text }), 'asked.yaml')
  const flags = ['annotate', '--local', '-f', file, 'asked=yes', '-o', 'name']
  const { stdout, stderr } = spawnSync(kubectl, flags, { encoding: 'utf8' })
  return { names: stdout, rejection: stderr }
}

describe.runIf(hasKubectl || process.env.CI)('kubectl', () => {
  it.each(Object.entries(STYLES))('reads the text without a mistake: %s', (_, text) =>
    expect(read(text).rejection).toBe(''),
  )

  it.each(SYNTAX_CASES)('rejects or cuts the text, and reads what the remedy makes of it: $cause $written', (one) => {
    const broken = read(one.broken)
    for (const text of one.cured) {
      const cured = read(text)
      expect(cured.rejection, text).toBe('')
      expect(broken.rejection !== '' || broken.names !== cured.names).toBe(true)
    }
  })
})
