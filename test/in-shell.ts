/** Commands of a page, run in a shell. */
import { spawn } from 'node:child_process'

/** Runs commands one after another in one shell; what each has printed. */
export async function runCommands(
  commands: readonly string[],
  folder: string,
  path: string,
): Promise<readonly string[]> {
  const marked = commands.map((command, index) => `printf '\\n=== %s\\n' ${index}\n${command}\n`)
  const child = spawn('bash', ['-c', marked.join('')], {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  await new Promise((resolve) => child.once('close', resolve))
  return said.split(/\n=== \d+\n/).slice(1)
}
