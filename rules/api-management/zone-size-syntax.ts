import { rule } from '../../src/api-management/rule.ts'
import { parseSize, repairMegabytes, repairSize } from '../../src/limits/size.ts'
import { shorten } from '../describe.ts'
import { body } from './body.ts'
import { limitsOf } from './views.ts'

/** The policy writes sizes in one unit, and in upper case. */
export default rule({
  id: 'api-management/zone-size-syntax',
  severity: 'error',
  judges: 'Proxy',
  fix: 'safe',
  summary: 'A zoneSize is written with a number and M.',
  why: 'The API refuses every other form, such as lower case, other units, spaces or a fraction. nginx itself writes the same size in lower case.',
  remedy: 'Write a number and M, such as "10M".',
  source: 'specification of the API management rate limit policy, limits.zoneSize',
  messages: {
    meant: { text: '"{size}" is not a valid zoneSize', remedy: 'Write "{meant}".' },
    part: {
      text: '"{size}" is not a valid zoneSize: it is no whole number of megabytes',
      remedy: 'Write "{near}", the next size that is not smaller.',
    },
    unclear: '"{size}" is not a valid zoneSize',
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10m }'] }),
    good: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M }'] }),
  }),
  check(proxy, { report }) {
    for (const { zoneSize } of limitsOf(proxy)) {
      if (typeof zoneSize.raw !== 'string' || zoneSize.value) continue
      const size = shorten(zoneSize.raw)
      const meant = repairMegabytes(zoneSize.raw)
      const smaller = parseSize(repairSize(zoneSize.raw) ?? '')
      if (meant !== undefined)
        report('meant', zoneSize, { size, meant }, [{ op: 'replace', path: zoneSize.pointer, value: meant }])
      else if (smaller) report('part', zoneSize, { size, near: `${Math.ceil(smaller.bytes / 1024 ** 2)}M` })
      else report('unclear', zoneSize, { size })
    }
  },
})
