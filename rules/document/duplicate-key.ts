import { documentRule as rule } from '../../src/engine/rule.ts'
import { manifest } from '../gateway/manifest.ts'

/** Of two equal keys one is lost, and which one depends on the reader. */
export default rule({
  id: 'document/duplicate-key',
  severity: 'error',
  judges: 'Document',
  summary: 'A mapping has every key once.',
  why: 'kubectl keeps the last of the two without a word, other readers keep the first or refuse the file: what is enforced is not what the file seems to say.',
  remedy: 'Keep one of the two.',
  source: 'YAML 1.2, specification, "Mapping"; JSON, RFC 8259, "Objects"',
  messages: { twice: '{reason}' },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, rate: 20r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check({ problems }, { report }) {
    for (const { code, reason, start, end } of problems)
      if (code === 'duplicate-key') report('twice', { start, end }, { reason })
  },
})
