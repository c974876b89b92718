import { describe, expect, it } from 'vitest'
import { type FormatPart, parseLogFormat } from '../../src/traffic/log-format.ts'

const print = (parts: readonly FormatPart[]) =>
  parts.map((part) => (part.type === 'text' ? part.text : `<${part.name}>`)).join('')

function read(text: string) {
  const outcome = parseLogFormat(text)
  return outcome.ok ? `${outcome.format.escaping}: ${print(outcome.format.parts)}` : outcome.problem
}

describe('reads a format', () => {
  it.each([
    ['bare', '$remote_addr [$time_local] "$request"', 'default: <remote_addr> [<time_local>] "<request>"'],
    ['with braces', '${remote_addr}:${remote_port}', 'default: <remote_addr>:<remote_port>'],
    ['in capitals', '$Remote_Addr x', 'default: <remote_addr> x'],
    ['with escape= in front', 'escape=json {"a":"$remote_addr"}', 'json: {"a":"<remote_addr>"}'],
    ['quoted', `'$remote_addr "$request"'`, 'default: <remote_addr> "<request>"'],
    [
      'pasted from nginx.conf',
      `log_format  main  '$remote_addr - $remote_user [$time_local] "$request" '
                        '$status $body_bytes_sent "$http_referer" '  # a comment
                        '"$http_user_agent" "$http_x_forwarded_for"';`,
      'default: <remote_addr> - <remote_user> [<time_local>] "<request>" <status> <body_bytes_sent> "<http_referer>" "<http_user_agent>" "<http_x_forwarded_for>"',
    ],
    [
      'pasted with escape=',
      `log_format json escape=json '{"time":"$time_iso8601",' "\\"ip\\":\\"$remote_addr\\"}";`,
      'json: {"time":"<time_iso8601>","ip":"<remote_addr>"}',
    ],
    ['with tabs', `log_format t '$remote_addr\\t$request';`, 'default: <remote_addr>\t<request>'],
    [
      'where one can see the next begin',
      '$scheme://$host$request_uri $status',
      'default: <scheme>://<host><request_uri> <status>',
    ],
    ['of uri, is_args and args', '$uri$is_args$args|$status', 'default: <uri><is_args><args>|<status>'],
  ])('%s', (_, text, expected) => expect(read(text)).toBe(expected))
})

describe('reports what is wrong with', () => {
  it.each([
    ['no variable', 'hello', 'it has no variable, such as $remote_addr'],
    ['a lone $', '$remote_addr costs 5$', 'a $ has no variable name behind it'],
    ['an open quote', `log_format x '$remote_addr`, 'a quote is not closed'],
    ['an unknown escaping', 'escape=xml $remote_addr', 'escape=xml is not valid; use one of default, json, none'],
    [
      'variables that cannot be told apart',
      '$remote_addr$status',
      'there must be text between $remote_addr and $status, to see where one ends and the other begins',
    ],
  ])('%s', (_, text, problem) => expect(read(text)).toBe(problem))
})
