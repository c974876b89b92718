/** What a gRPC client makes of an answer that is none of gRPC. Source: gRPC, "HTTP to gRPC Status Code Mapping". */

const STATUSES: ReadonlyMap<number, string> = new Map([
  [400, 'INTERNAL'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'UNIMPLEMENTED'],
  [429, 'UNAVAILABLE'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'UNAVAILABLE'],
])

/** The gRPC status that clients derive from an HTTP status. */
export const grpcStatusOf = (code: number): string => STATUSES.get(code) ?? 'UNKNOWN'
