/** Bodies for property tests. */
import type { Draft } from '../rules/policies.ts'

/** A body that uses every field, and that no rule objects to. */
export const goodBody = (): Draft => ({
  name: 'coffee',
  version: 'v1',
  proxyConfig: {
    hostname: 'shop.example',
    policies: {
      'basic-authn': [{ action: { credentialForward: true } }],
      'request-correlation-id': [{ action: { httpHeaderName: 'x-request-id' } }],
      'rate-limit': [
        {
          systemMetadata: { appliedOn: 'inbound', context: 'proxy' },
          action: {
            returnCode: 429,
            grpcStatusCode: 503,
            limits: [
              { rate: '10r/s', rateLimitBy: 'client.ip', zoneSize: '10M', throttle: { burst: 20, delay: 5 } },
              { rate: '100r/s', rateLimitBy: 'uri', zoneSize: '2M', throttle: { burst: 10, noDelay: true } },
              { rate: '50r/s', rateLimitBy: 'consumer', zoneSize: '1M' },
            ],
          },
        },
      ],
    },
  },
})
