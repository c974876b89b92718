/** The transcript in docs/api-management.md, from the first start to a 429: `SLUICE_RECORD=1` writes it anew. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../free-ports.ts'
import { runCommands } from '../../in-shell.ts'
import { startHttpBackend } from '../backends.ts'
import { afterThisTest, newFolder } from '../proxy/driving.ts'
import { describeNewestNginx } from '../with-nginx.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PAGE = join(ROOT, 'docs/api-management.md')
const BLOCK = /(<!-- transcript: .*-->\n```console\n)([\s\S]*?)(```\n<!-- end of transcript -->)/

describeNewestNginx('the transcript of the management API', (program) => {
  test('is what curl prints, and nginx answers 429', async () => {
    const page = readFileSync(PAGE, 'utf8')
    const shown = BLOCK.exec(page)?.[2] ?? ''
    const folder = newFolder()
    for (const [, name = '', text = ''] of page.matchAll(/<!-- file: (\S+) -->\n```json\n([\s\S]*?)```/g))
      writeFileSync(join(folder, name), text)
    const backend = await startHttpBackend()
    afterThisTest(() => backend.stop())
    // Ports as they are on the page, and those that are free here.
    const ports: readonly (readonly [string, string])[] = [
      ['8443', String(await freePort())],
      ['8080', String(await freePort())],
      ['3000', backend.address.split(':')[1] ?? ''],
    ]
    const here = (text: string) => ports.reduce((all, [own, free]) => all.replaceAll(own, free), text)
    const there = (text: string) => ports.reduce((all, [own, free]) => all.replaceAll(free, own), text)
    for (const name of ['proxy.json', 'policy.json'])
      writeFileSync(join(folder, name), here(readFileSync(join(folder, name), 'utf8')))
    const programs = join(folder, '.bin')
    mkdirSync(programs)
    const cli = `${process.execPath} ${join(ROOT, 'dist/cli.js')}`
    const flags = `--port ${ports[0]?.[1]} --health-port 0 --nginx-bin ${program.path}`
    writeFileSync(join(programs, 'sluice'), `#!/bin/sh\nexec ${cli} "$@" ${flags}\n`)
    chmodSync(join(programs, 'sluice'), 0o755)
    const commands = shown.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []))
    const said = await runCommands(commands.map(here), folder, `${programs}${delimiter}${process.env.PATH}`)
    const transcript = commands.map((command, index) => `$ ${command}\n${there(said[index] ?? '')}`).join('')
    if (process.env.SLUICE_RECORD)
      writeFileSync(
        PAGE,
        page.replace(BLOCK, (_, head, _old, tail) => head + transcript + tail),
      )
    else expect(transcript).toBe(shown)
    expect(transcript).toMatch(/^200\n200\n200\n429\n429\n/m)
  })
})
