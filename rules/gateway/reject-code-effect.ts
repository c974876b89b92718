import { rule } from '../../src/gateway/rule.ts'
import { codeEffect } from '../../src/nginx/responses.ts'
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
  examples: {
    bad: manifest({ settings: ['rejectCode: 444'] }),
    good: manifest({ settings: ['rejectCode: 429'] }),
  },
  check({ rejectCode }, { platform, report }) {
    const { value: code } = rejectCode
    const effect = code === undefined ? undefined : codeEffect(code, platform.nginxVersion)
    if (!effect) return
    if (effect.kind === 'closes-connection') report('closed', rejectCode, { code })
    else if (effect.kind === 'becomes-400') report('becomes400', rejectCode, { code, page: effect.page })
    else report(effect.page === undefined ? 'silent' : 'misleading', rejectCode, { code, page: effect.page })
  },
})
