import { expect, test } from 'vitest'
import { grpcStatusOf } from '../../src/nginx/responses.ts'

test.each([
  [400, 'INTERNAL'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'UNIMPLEMENTED'],
  [429, 'UNAVAILABLE'],
  [500, 'UNKNOWN'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'UNAVAILABLE'],
  [599, 'UNKNOWN'],
])('clients of gRPC read %i as %s', (code, status) => expect(grpcStatusOf(code)).toBe(status))
