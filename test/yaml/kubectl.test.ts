/** Every text of the table has the value that kubectl read when it was recorded. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readDocuments } from '../../src/yaml/documents.ts'

type Row = { lines?: string[]; text?: string; problems?: string[]; random?: boolean }
type Table = { head: string[]; scalars: string[]; keys: string[]; texts: Record<string, Row> }
type Answer = { spec?: unknown; refusal?: string }
type FileAnswer = { objects: unknown[]; refusal?: string }
type Answers = { scalars: Record<string, Answer>; keys: Record<string, Answer>; texts: Record<string, FileAnswer> }

const read = <Content>(name: string): Content =>
  JSON.parse(readFileSync(new URL(`../fixtures/documents-kubectl/${name}`, import.meta.url), 'utf8'), toDouble)

/** Integers beyond 53 bits are recorded by their digits; here they are the nearest double. */
function toDouble(_key: string, value: unknown): unknown {
  const isRecordedByDigits = typeof value === 'object' && value !== null && 'int64' in value
  return isRecordedByDigits ? Number(value.int64) : value
}

const table = read<Table>('table.json')
const answers = read<Answers>('answers.json')
const head = table.head.join('\n')
const everything = { mentions: /(?:)/ }

function expectSpec(text: string, answer: Answer | undefined): void {
  const [document] = readDocuments(text, everything)
  const refusals = document?.problems.filter(({ code }) => code === 'syntax') ?? []
  expect(refusals.length > 0, answer?.refusal ?? 'kubectl reads it').toBe(answer?.refusal !== undefined)
  expect(document?.value).toEqual(answer?.refusal === undefined ? { ...headValue, spec: answer?.spec } : undefined)
}

const headValue = { apiVersion: 'example.com/v1', kind: 'Row', metadata: { name: 'row' } }

test.each(table.scalars)('a scalar has the value that kubectl reads %s', (scalar) =>
  expectSpec(`${head}\nspec: ${scalar}\n`, answers.scalars[scalar]),
)

test.each(table.keys)('a key has the name that kubectl gives it %s', (key) =>
  expectSpec(`${head}\nspec:\n  ${key}: 1\n`, answers.keys[key]),
)

test.each(Object.entries(table.texts))(
  'a file has the documents that kubectl finds %s',
  (name, { lines = [], text = `${lines.join('\n')}\n`, problems, random }) => {
    const answer = answers.texts[name]
    const documents = readDocuments(text.replaceAll('HEAD', head), everything)
    const codes = documents.flatMap((document) => document.problems.map(({ code }) => code))
    if (answer?.refusal === undefined) expect(codes).toEqual(problems ?? [])
    else expect(codes, answer.refusal).toContain('syntax')
    const values = documents.map(({ value }) => value).filter((value) => value !== undefined)
    if (!random) expect(values.slice(0, answer?.objects.length)).toEqual(answer?.objects)
    if (answer?.refusal === undefined) expect(values).toHaveLength(answer?.objects.length ?? 0)
  },
)
