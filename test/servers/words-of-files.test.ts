/** What is wrong with the files that a server or a cluster needs is said in one sentence, not in the words of a library. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { clusterOfFile, clusterOfUser } from '../../src/cluster/client/kubeconfig.ts'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import { readTlsFiles } from '../../src/http/watched-files.ts'
import { createFolder } from '../files/folder.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

describe('a kubeconfig', () => {
  each<[string, string]>('%j', (text, message) => {
    const file = join(createFolder({ kubeconfig: text }), 'kubeconfig')
    expect(() => clusterOfFile(file)).toThrow(new Error(message))
  })

  it('behind another one in KUBECONFIG', () => {
    const folder = createFolder({ one: '', two: 'clusters:\n- {name: a, cluster: {server: 6443}}\n' })
    const good = { clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }] }
    writeFileSync(join(folder, 'one'), JSON.stringify(good))
    vi.stubEnv('KUBECONFIG', `${join(folder, 'one')}:${join(folder, 'two')}`)
    expect(() => clusterOfUser()).toThrow('clusters[0].cluster.server: expected a string')
    vi.unstubAllEnvs()
  })

  it('that is missing', () => expect(() => clusterOfFile('/nonexistent')).toThrow(new Error('no such file or folder')))
})

describe('a certificate and its key', () => {
  const validity = { from: Date.now() - 3_600_000, until: Date.now() + 3_600_000 }

  each<[string, { cert?: string; key?: string }, string | undefined]>(
    '%s',
    async (_, { cert, key }: { cert?: string; key?: string }, message) => {
      const authority = await createAuthority('test', validity)
      const own = await issueServing(authority, ['localhost'], validity)
      const texts: Record<string, string> = {
        cert: own.cert,
        other: (await issueServing(authority, ['a'], validity)).key,
      }
      const folder = createFolder()
      const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
      writeFileSync(files.cert, cert ?? own.cert)
      writeFileSync(files.key, key === undefined ? own.key : (texts[key] ?? key))
      if (message === undefined) expect(readTlsFiles(files)).toEqual({ cert: own.cert, key: own.key })
      else expect(() => readTlsFiles(files)).toThrow(new Error(message))
    },
  )
})
