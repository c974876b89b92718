/** The flags that name a cluster. What they need is loaded only where they are given. */
import type { Flags } from './flags.ts'

export const CLUSTER_FLAGS = {
  cluster: { summary: 'judge what lives in the cluster of your kubeconfig' },
  context: { value: 'NAME', summary: 'with a cluster: another context of the kubeconfig' },
  'all-namespaces': { short: 'A', summary: 'with --cluster: the policies of all namespaces' },
} as const satisfies Flags
