import { rule } from '../../src/engine/rule.ts'
import { codeEffect } from '../../src/nginx/responses.ts'
import { manifest } from './manifest.ts'

/** Some codes are orders to nginx itself, and others are ones that it has no words for. */
export default rule({
  id: 'gateway/reject-code-effect',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform'],
  summary: 'A rejected client gets the answer that rejectCode promises.',
  why: 'With some codes NGINX closes the connection without an answer, which clients take for a network fault and retry at once. Others reach the client as 400, or with a status line and page that say nothing.',
  remedy: 'Write rejectCode: 429 (too many requests) or rejectCode: 503 (service unavailable).',
  source: 'nginx, limit_req_status and return (code 444)',
  messages: {
    closed: 'with rejectCode {code} NGINX closes the connection without an answer',
    becomes400: 'with rejectCode {code} the client gets the status 400 and the page "{page}"',
    silent: 'NGINX has no reason phrase and no page for {code}: rejected clients get an empty answer',
    misleading: 'NGINX has no reason phrase for {code}, and sends the page "{page}" with it',
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
