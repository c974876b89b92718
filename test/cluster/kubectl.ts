/** The real kubectl against a test's API server. */
import { spawn } from 'node:child_process'
import { programOf } from '../../scripts/kube-apiserver.ts'

/** What kubectl said. */
export type Said = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs kubectl with a line of parameters and what it reads from its input. */
export type Kubectl = (parameters: string | readonly string[], input?: string | readonly object[]) => Promise<Said>

/** Makes a kubectl that uses one kubeconfig, and nothing of the person who runs the tests. */
export const createKubectl =
  (kubeconfig: string): Kubectl =>
  (parameters, input = '') =>
    new Promise((resolve, reject) => {
      const words = typeof parameters === 'string' ? parameters.split(' ') : parameters
      const child = spawn(programOf('kubectl'), [`--kubeconfig=${kubeconfig}`, ...words], {
        env: { PATH: process.env.PATH, HOME: '/nonexistent', KUBECACHEDIR: `${kubeconfig}.cache` },
      })
      const texts = { stdout: '', stderr: '' }
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (texts.stdout += chunk))
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => (texts.stderr += chunk))
      child.once('error', reject)
      child.once('close', (code) => resolve({ code: code ?? -1, ...texts }))
      child.stdin.once('error', () => undefined).end(typeof input === 'string' ? input : asList(input))
    })

const asList = (items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items })

/** What kubectl must do for a test to go on; throws with its words where it does not. */
export async function must(said: Promise<Said>): Promise<string> {
  const { code, stdout, stderr } = await said
  if (code !== 0) throw new Error(`kubectl ended with ${code}:\n${stderr}${stdout}`)
  return stdout
}
