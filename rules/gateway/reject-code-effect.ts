import { celText } from '../../src/engine/cel.ts'
import { rule } from '../../src/gateway/rule.ts'
import { type CodeEffect, codeEffect } from '../../src/nginx/responses.ts'
import { groupBy } from '../../src/text/group.ts'
import { manifest } from './manifest.ts'

/** Some codes are commands to nginx itself, and for others it has no reason phrase. */
export default rule({
  id: 'gateway/reject-code-effect',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform'],
  summary: 'Rejected clients receive a complete response with the status of rejectCode.',
  why: 'For some codes nginx closes the connection without a response, which clients take for a network error and retry at once. Other codes reach the client as 400, or without a reason phrase and a page.',
  remedy: 'Write "rejectCode: 429" (Too Many Requests) or "rejectCode: 503" (Service Unavailable).',
  source: 'nginx, limit_req_status and return (code 444)',
  messages: {
    closed: 'with "rejectCode: {code}", nginx closes the connection without a response',
    becomes400: 'with "rejectCode: {code}", clients receive 400 and the page "{page}"',
    silent: 'with "rejectCode: {code}", clients receive no reason phrase and an empty page',
    misleading: 'with "rejectCode: {code}", clients receive no reason phrase and the page "{page}"',
  },
  cel: ({ platform: { nginxVersion } }) => {
    const effects = Array.from({ length: 200 }, (_, index) => 400 + index).flatMap((code) => {
      const effect = codeEffect(code, nginxVersion)
      return effect ? [{ code, message: messageOf(effect), page: 'page' in effect ? effect.page : undefined }] : []
    })
    const messages = [...groupBy(effects, ({ message }) => message)]
    const cases = messages.map(([message, own]) => ({
      message,
      at: 'spec.rateLimit.rejectCode',
      when: `policy.rateLimit.?rejectCode.orValue(0) in [${own.map(({ code }) => code).join(', ')}]`,
      values: {
        code: 'string(policy.rateLimit.rejectCode)',
        page: `{${own.map(({ code, page = '' }) => `${code}: ${celText(page)}`).join(', ')}}[int(policy.rateLimit.rejectCode)]`,
      },
    }))
    return { cases }
  },
  examples: () => ({
    bad: manifest({ settings: ['rejectCode: 444'] }),
    good: manifest({ settings: ['rejectCode: 429'] }),
  }),
  check({ rejectCode }, { platform, report }) {
    const { value: code } = rejectCode
    const effect = code === undefined ? undefined : codeEffect(code, platform.nginxVersion)
    if (!effect) return
    report(messageOf(effect), rejectCode, { code, page: 'page' in effect ? effect.page : undefined })
  },
})

function messageOf(effect: CodeEffect): 'closed' | 'becomes400' | 'silent' | 'misleading' {
  if (effect.kind === 'closes-connection') return 'closed'
  if (effect.kind === 'becomes-400') return 'becomes400'
  return effect.page === undefined ? 'silent' : 'misleading'
}
