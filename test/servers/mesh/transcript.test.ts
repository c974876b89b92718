/** The transcript in docs/mesh.md: `SLUICE_RECORD=1` writes it anew. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createFolder } from '../../files/folder.ts'
import { freePort } from '../../free-ports.ts'
import { runCommands } from '../../in-shell.ts'

const PAGE = resolve('docs/mesh.md')
const BLOCK = /(<!-- transcript: .*-->\n```console\n)([\s\S]*?)(```\n<!-- end of transcript -->)/

test('the transcript of the API of the mesh is what curl prints', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const shown = BLOCK.exec(page)?.[2] ?? ''
  const folder = createFolder()
  for (const [, name = '', text = ''] of page.matchAll(/<!-- file: (\S+) -->\n```yaml\n([\s\S]*?)```/g))
    writeFileSync(join(folder, name), text)
  const port = String(await freePort())
  const programs = join(folder, '.bin')
  mkdirSync(programs)
  const run = `#!/bin/sh\nexec ${process.execPath} ${resolve('dist/cli.js')} "$@" --health-port 0 --host 127.0.0.1\n`
  writeFileSync(join(programs, 'sluice'), run)
  chmodSync(join(programs, 'sluice'), 0o755)
  const commands = shown.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []))
  const here = commands.map((command) => command.replaceAll('localhost:8443', `localhost:${port}`))
  const there = here.map((command) => command.replaceAll('--port 8443', `--port ${port}`))
  const said = await runCommands(there, folder, `${programs}${delimiter}${process.env.PATH}`)
  const transcript = commands.map((command, index) => `$ ${command}\n${said[index] ?? ''}`).join('')
  if (process.env.SLUICE_RECORD)
    writeFileSync(
      PAGE,
      page.replace(BLOCK, (_, head, _old, tail) => head + transcript + tail),
    )
  else expect(transcript).toBe(shown)
  expect(transcript).toContain('"isAutoInjectEnabled":false,"enabledNamespaces":["prod"]')
})
