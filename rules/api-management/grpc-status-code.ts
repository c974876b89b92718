import { isWithin } from '../../src/api-management/applied.ts'
import { ACTION } from '../../src/api-management/fields.ts'
import { rule } from '../../src/api-management/rule.ts'
import { body } from './body.ts'
import { policiesOf } from './views.ts'

/** The names of the gRPC statuses, by their number. Source: gRPC, status codes. */
const GRPC_STATUSES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const

/** The field has the name of a gRPC status, and holds an HTTP status. */
export default rule({
  id: 'api-management/grpc-status-code',
  severity: 'error',
  judges: 'Proxy',
  summary: 'grpcStatusCode is an HTTP status code from 400 to 599.',
  why: 'It is the HTTP status of the response to a rejected gRPC request. nginx sends no gRPC status with it: the client derives one from the HTTP status, UNAVAILABLE (14) from 429, 502, 503 and 504. The API refuses a body with any other number.',
  remedy: 'Write "grpcStatusCode: 429", the default: gRPC clients take it for UNAVAILABLE.',
  source:
    'specification of the API management rate limit policy, grpcStatusCode; gRPC, HTTP to gRPC status code mapping',
  messages: {
    grpc: '{code} is the gRPC status {name}, but grpcStatusCode is an HTTP status from {least} to {most}',
    outside: 'grpcStatusCode must be a whole number from {least} to {most}, but is {code}',
  },
  examples: () => ({
    bad: body({ action: ['returnCode: 429', 'grpcStatusCode: 14'] }),
    good: body({ action: ['returnCode: 429', 'grpcStatusCode: 429'] }),
  }),
  check(proxy, { report }) {
    for (const { grpcStatusCode } of policiesOf(proxy)) {
      const { value: code } = grpcStatusCode
      if (code === undefined || isWithin(ACTION.grpcStatusCode, code)) continue
      const name = GRPC_STATUSES[code]
      const { minimum: least, maximum: most } = ACTION.grpcStatusCode
      report(name === undefined ? 'outside' : 'grpc', grpcStatusCode, { code, name, least, most })
    }
  },
})
