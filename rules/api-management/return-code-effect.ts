import { rule } from '../../src/api-management/rule.ts'
import { codeEffect } from '../../src/nginx/responses.ts'
import { body } from './body.ts'
import { policiesOf } from './views.ts'

/** Some codes are commands to nginx itself, and for others it has no reason phrase. */
export default rule({
  id: 'api-management/return-code-effect',
  severity: 'warning',
  judges: 'Proxy',
  reads: ['platform'],
  summary: 'Rejected clients receive a complete response with the status of returnCode.',
  why: 'For some codes nginx closes the connection without a response, which clients take for a network error and retry at once. Other codes reach the client as 400, or without a reason phrase.',
  remedy: 'Write "returnCode: 429", the default.',
  source: 'nginx, limit_req_status and return (code 444)',
  messages: {
    closed: 'with "returnCode: {code}", nginx closes the connection without a response',
    becomes400: 'with "returnCode: {code}", clients receive 400 and the page "{page}"',
    silent: 'with "returnCode: {code}", clients receive no reason phrase',
  },
  examples: () => ({
    bad: body({ action: ['returnCode: 444'] }),
    good: body({ action: ['returnCode: 429'] }),
  }),
  check(proxy, { platform, report }) {
    for (const { returnCode } of policiesOf(proxy)) {
      const { value: code } = returnCode
      const effect = code === undefined ? undefined : codeEffect(code, platform.nginxVersion)
      if (effect?.kind === 'closes-connection') report('closed', returnCode, { code })
      else if (effect?.kind === 'becomes-400') report('becomes400', returnCode, { code, page: effect.page })
      else if (effect) report('silent', returnCode, { code })
    }
  },
})
