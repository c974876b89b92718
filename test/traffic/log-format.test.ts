import { describe, expect } from 'vitest'
import { type FormatPart, parseLogFormat } from '../../src/traffic/log-format.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const print = (parts: readonly FormatPart[]) =>
  parts.map((part) => (part.type === 'text' ? part.text : `<${part.name}>`)).join('')

function read(text: string) {
  const outcome = parseLogFormat(text)
  return outcome.ok ? `${outcome.format.escaping}: ${print(outcome.format.parts)}` : outcome.problem
}

describe('reads a format', () =>
  each<[string, string, string]>('%s', (_, text, expected) => expect(read(text)).toBe(expected), 'reads a format'))

describe('reports what is wrong with', () =>
  each<[string, string, string]>(
    '%s',
    (_, text, problem) => expect(read(text)).toBe(problem),
    'reports what is wrong with',
  ))
