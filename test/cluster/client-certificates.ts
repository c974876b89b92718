/** Certificates for clients of the webhook, made with the lines of docs/admission.md. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-ports.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/admission.md'), 'utf8')

/** The lines of the page, with the indentation of their list removed. */
const LINES =
  /<!-- client certificates: [^\n]*-->\n +```sh\n([^`]+)```/.exec(PAGE)?.[1]?.replaceAll(/^ {3}/gm, '') ?? 'exit 1'

/** A YAML example of the page, by the name in its first line. */
const exampleOf = (name: string): string =>
  new RegExp(`\`\`\`yaml\\n( *)# ${name.replace('.', '\\.')}\\n([^\`]+)\`\`\``)
    .exec(PAGE)?.[2]
    ?.replaceAll(/^ {3}/gm, '') ?? ''

/** Creates an authority and a certificate in a new folder: `client-ca.crt`, `client.crt` and `client.key`. */
function createClientCertificates(folder: string) {
  mkdirSync(folder)
  execFileSync('sh', ['-euc', LINES], { cwd: folder, stdio: 'pipe' })
  const [authority, cert, key] = ['client-ca.crt', 'client.crt', 'client.key'].map((name) => join(folder, name))
  if (authority === undefined || cert === undefined || key === undefined) throw new Error('no files')
  return { authority, cert, key }
}

/** Sets up an API server as the page says: it has a certificate for the webhook on one port. */
export async function configureClients() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-clients-'))
  const [clients, strangers] = [join(folder, 'clients'), join(folder, 'strangers')].map(createClientCertificates)
  if (!clients || !strangers) throw new Error('no certificates')
  const port = await freePort()
  const file = (name: string): string => {
    const text = exampleOf(name)
      .replace('sluice-admission.sluice-system.svc', `127.0.0.1:${port}`)
      .replaceAll('/etc/kubernetes/sluice/client', join(folder, 'clients/client'))
      .replaceAll('/etc/kubernetes/sluice', folder)
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  file('webhooks.yaml')
  return { folder, port, clients, strangers, flags: [`--admission-control-config-file=${file('admission.yaml')}`] }
}
