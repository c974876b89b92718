import { documentRule as rule } from '../../src/engine/rule.ts'
import { manifest } from '../gateway/manifest.ts'

/** Which of two equal keys is kept depends on the program that reads the file. */
export default rule({
  id: 'document/duplicate-key',
  severity: 'error',
  judges: 'Document',
  summary: 'A mapping has each key only once.',
  why: 'kubectl keeps the last of two equal keys without a warning; other programs keep the first, or refuse the file. What is enforced may not be what the file seems to say.',
  remedy: 'Keep only one of the entries with this key.',
  source: 'YAML 1.2, specification, "Mapping"; JSON, RFC 8259, "Objects"',
  messages: { twice: '{reason}' },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, rate: 20r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  }),
  check({ problems }, { report }) {
    for (const { code, reason, start, end } of problems)
      if (code === 'duplicate-key') report('twice', { start, end }, { reason })
  },
})
