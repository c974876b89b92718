/** What the texts of a body must be, so that they mean nothing to nginx but what they are meant to. */
import { headerProblem, LONGEST_HEADER } from '../correlation-header.ts'
import { API_KEY, HTTP_HEADER_NAME, INGRESS, LISTENER } from '../fields.ts'
import { type Form, oneOf } from './reading.ts'

const LABEL = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/i
const isName = (text: string): boolean => text.length <= 253 && text.split('.').every((label) => LABEL.test(label))

/** True for what looks like an address of IPv6, without brackets. */
export const isIpv6 = (text: string): boolean => /^[0-9a-f:.]{2,45}$/i.test(text) && text.split(':').length > 2

/** Characters that nginx compares in paths as they are written, and that mean nothing in its configuration. */
const SEGMENT = /^[A-Za-z0-9._~@:+,=!-]+$/
const isSegment = (text: string): boolean => SEGMENT.test(text) && text !== '.' && text !== '..'
const isParameter = (text: string): boolean => /^\{[\w.-]{1,100}\}$/.test(text)

/** Characters; a pattern of two paths with escapes has to fit into a parameter of nginx. */
const LONGEST_PATH = 500

/** A path without a slash at its end; empty for the root. */
export const withoutEndSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path)

const segmentsOf = (path: string): readonly string[] => withoutEndSlash(path).slice(1).split('/')
const isPath = (path: string, isPart: (segment: string) => boolean): boolean =>
  path.length <= LONGEST_PATH && path.startsWith('/') && (path === '/' || segmentsOf(path).every(isPart))

const isHeader = (text: string): boolean => /^[A-Za-z0-9-]+$/.test(text) && text.length <= LONGEST_HEADER

/** The forms by what has them. */
export const FORMS = {
  hostname: {
    what: 'a hostname',
    example: 'api.example.com',
    test: (text) => isName(text.startsWith('*.') ? text.slice(2) : text),
  },
  target: {
    what: 'the name or address of a host',
    example: 'orders.example.com',
    test: (text) => isName(text) || isIpv6(text),
  },
  version: { what: 'a version', example: 'v1', test: (text) => text.length <= 100 && isSegment(text) },
  basePath: {
    what: 'a base path of letters, digits and ".", "-", "_", "~"',
    example: '/shop',
    test: (text) => isPath(text, isSegment),
  },
  route: {
    what: 'a path of plain segments and parameters',
    example: '/orders/{id}',
    test: (text) => isPath(text, (segment) => isSegment(segment) || isParameter(segment)),
  },
  service: {
    what: 'the full name of a gRPC service',
    example: 'shop.orders.v1.Orders',
    test: (text) => text.length <= LONGEST_PATH && /^[A-Za-z_][\w.]*$/.test(text),
  },
  method: {
    what: 'the name of a gRPC method',
    example: 'Place',
    test: (text) => /^[A-Za-z_]\w{0,255}$/.test(text),
  },
  appendRule: oneOf(...INGRESS.basePathVersionAppendRule.enum),
  protocol: oneOf(...LISTENER.transportProtocol.enum),
  suppliedIn: oneOf(...API_KEY.action.fields.suppliedIn.enum),
  label: { what: 'a string', example: 'default', test: () => true },
  header: {
    what: 'the name of a header with only letters, digits and hyphens',
    example: 'apikey',
    test: isHeader,
  },
  parameter: {
    what: 'the name of a query parameter with only letters, digits, hyphens and underscores',
    example: 'apikey',
    test: (text) => /^[\w-]{1,64}$/.test(text),
  },
  key: {
    what: 'a key of at most 256 visible ASCII characters',
    example: 'b7Qm2Xw9',
    test: (text) => /^[\x21-\x7e]{1,256}$/.test(text),
  },
  client: {
    what: 'a client id of at most 256 characters',
    example: 'mobile-app',
    test: (text) => text.length > 0 && text.length <= 256,
  },
  correlation: {
    what: 'the name of a header of its own with only letters, digits and hyphens',
    example: HTTP_HEADER_NAME.default,
    test: (text) => headerProblem(text) === undefined,
    why: (text) =>
      headerProblem(text) === 'reserved' ? 'nginx or HTTP sets this header itself: another name is needed' : undefined,
  },
} as const satisfies Readonly<Record<string, Form>>
