/** Kubeconfigs: a cluster, or one line that says what is wrong with the file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dump } from 'js-yaml'
import { clusterOfFile } from '../../src/cluster/client/kubeconfig.ts'
import { mutatedText, mutatedValue } from '../core/mutate.ts'
import type { Input, Problem, Target } from '../core/target.ts'
import { TOKENS } from './yaml-texts.ts'

const KUBECONFIG: Input = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'shop',
  preferences: {},
  clusters: [
    {
      name: 'one',
      cluster: {
        ...{
          server: 'https://127.0.0.1:6443',
          'certificate-authority-data': 'YQ==',
          'certificate-authority': 'ca.crt',
        },
        ...{ 'insecure-skip-tls-verify': false, 'tls-server-name': 'api', 'proxy-url': 'http://127.0.0.1:1' },
      },
    },
  ],
  users: [
    {
      name: 'me',
      user: {
        ...{
          token: 'a',
          tokenFile: 'token',
          username: 'b',
          password: 'c',
          'client-certificate': 'd',
          'client-key': 'e',
        },
        ...{ 'client-certificate-data': 'YQ==', 'client-key-data': 'YQ==', as: 'f' },
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: 'g',
          args: ['h'],
          env: [{ name: 'i', value: 'j' }],
        },
        'auth-provider': { name: 'oidc', config: { 'id-token': 'k' } },
      },
    },
  ],
  contexts: [{ name: 'shop', context: { cluster: 'one', user: 'me', namespace: 'shop' } }],
}
const TEXT = dump(KUBECONFIG)

/** What Node and its packages say to programmers. */
const FOR_PROGRAMMERS =
  /Cannot read propert|is not (?:a function|iterable|an object)|must be of type|undefined|\[object|ERR_|Cannot (?:convert|destructure)/

export const KUBECONFIGS: Target = {
  name: 'kubeconfigs',
  reads: 'kubeconfigs',
  make(random) {
    switch (random.below(4)) {
      case 0:
        return mutatedText(random, TEXT, TOKENS)
      case 1:
        return JSON.stringify(mutatedValue(random, KUBECONFIG))
      default:
        return dump(mutatedValue(random, KUBECONFIG))
    }
  },
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-fuzz-'))
    const path = join(folder, 'config')
    return {
      check: (input) => check(path, input),
      async close() {
        rmSync(folder, { recursive: true })
        return []
      },
    }
  },
}

function check(path: string, input: Input): readonly Problem[] {
  writeFileSync(path, typeof input === 'string' ? input : JSON.stringify(input))
  try {
    clusterOfFile(path).getCurrentCluster()
    return []
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (message !== '' && !message.includes('\n') && !FOR_PROGRAMMERS.test(message)) return []
    return [
      {
        what: `not a sentence: ${message.slice(0, 40)}`,
        detail: error instanceof Error ? (error.stack ?? '') : message,
      },
    ]
  }
}
