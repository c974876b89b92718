/** Certificates for clients of the webhook, made with the lines of docs/admission.md. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/admission.md'), 'utf8')

/** The lines of the page, with the indentation of their list removed. */
const LINES =
  /<!-- client certificates: [^\n]*-->\n +```sh\n([^`]+)```/.exec(PAGE)?.[1]?.replaceAll(/^ {3}/gm, '') ?? 'exit 1'

/** A YAML example of the page, by the name in its first line. */
export const exampleOf = (name: string): string =>
  new RegExp(`\`\`\`yaml\\n( *)# ${name.replace('.', '\\.')}\\n([^\`]+)\`\`\``)
    .exec(PAGE)?.[2]
    ?.replaceAll(/^ {3}/gm, '') ?? ''

/** Creates an authority and a certificate in a new folder: `client-ca.crt`, `client.crt` and `client.key`. */
export function createClientCertificates(folder: string) {
  mkdirSync(folder)
  execFileSync('sh', ['-euc', LINES], { cwd: folder, stdio: 'pipe' })
  const [authority, cert, key] = ['client-ca.crt', 'client.crt', 'client.key'].map((name) => join(folder, name))
  if (authority === undefined || cert === undefined || key === undefined) throw new Error('no files')
  return { authority, cert, key }
}
