import { rule } from '../../src/api-management/rule.ts'
import { parseRate, rateFault } from '../../src/limits/rate.ts'
import { shorten } from '../describe.ts'
import { body } from './body.ts'
import { limitsOf } from './views.ts'

const perMinute = (rate: string) => `"${rate}" is not a valid rate: this policy counts per second only`

/** The policy knows one unit. */
export default rule({
  id: 'api-management/rate-syntax',
  severity: 'error',
  judges: 'Proxy',
  summary: 'A rate is written <number>r/s.',
  why: 'The policy counts whole requests per second. The API refuses every other form, including upper case, spaces and rates per minute.',
  remedy: 'Write a number and r/s, such as "10r/s".',
  source: 'specification of the API management rate limit policy, limits.rate',
  messages: {
    misspelt: { text: '"{rate}" is not a valid rate', remedy: 'Write "{meant}".' },
    minute: { text: perMinute('{rate}'), remedy: 'Write "{meant}".' },
    slow: {
      text: perMinute('{rate}'),
      remedy: 'Write "{near}", the next rate that is not lower; the slowest is "1r/s".',
    },
    unitless: { text: '"{rate}" is not a valid rate: the time unit is missing', remedy: 'Write "{count}r/s".' },
    unclear: '"{rate}" is not a valid rate',
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 10R/S, rateLimitBy: client.ip, zoneSize: 10M }'] }),
    good: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M }'] }),
  }),
  check(proxy, { report }) {
    for (const { rate } of limitsOf(proxy)) {
      if (typeof rate.raw !== 'string' || rate.value) continue
      const [message, words] = faultOf(rate.raw)
      report(message, rate, { rate: shorten(rate.raw), ...words })
    }
  },
})

type Fault = readonly ['misspelt' | 'minute' | 'slow' | 'unitless' | 'unclear', Readonly<Record<string, string>>]

function faultOf(written: string): Fault {
  const fault = rateFault(written)
  const meant = parseRate('meant' in fault ? fault.meant : written)
  if (meant?.unit === 's') return ['misspelt', { meant: `${meant.digits}r/s` }]
  if (meant && meant.digits.length < 16) return faultPerMinute(Number(meant.digits))
  const count = fault.type === 'unitless' ? fault.count.replace(/^0+/, '') : ''
  return count === '' ? ['unclear', {}] : ['unitless', { count }]
}

function faultPerMinute(count: number): Fault {
  const seconds = count / 60
  if (seconds > 0 && Number.isInteger(seconds)) return ['minute', { meant: `${seconds}r/s` }]
  return ['slow', { near: `${Math.max(1, Math.ceil(seconds))}r/s` }]
}
