/** Every fixture of the API management rules through the management API: it says what lint says. */
import { afterAll, expect, it } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../../src/json/member.ts'
import { lint } from '../../../src/lint/lint.ts'
import type { ReportedFinding } from '../../../src/lint/report.ts'
import { REGISTRY } from '../../../src/registry.ts'
import { type BodyJudge, createBodyJudge } from '../../../src/servers/api-management/judge.ts'
import { readDocuments } from '../../../src/yaml/documents.ts'
import { type Fixture, readFixtures } from '../../fixtures.ts'
import { serveTeam, TEAM } from './served.ts'

/** Texts that lint passes over: what is sent to the API is meant for it. */
const OTHER_PRODUCTS = 'good-other-products.yaml'

const fixtures = readFixtures().filter(
  ({ rule, name }) => rule.startsWith('api-management/') && !name.endsWith(OTHER_PRODUCTS),
)

/** What the API adds: its schema, and what keeps a body from being published. */
const OWN = /^(?:request|publication)$/

/** What it adds beside that, of what a proxy is to its environment; nothing is refused for it. */
const BESIDE = 'environment'

const remarkOf = ({ rule, pointer, message, help }: ReportedFinding) => ({ rule, pointer, message, remedy: help })

const bodiesOf = ({ text }: Fixture): readonly JsonObject[] =>
  readDocuments(text, { mentions: /(?:)/ }).flatMap(({ value }) => (isObject(value) ? [value] : []))

/** What lint says of one body, without infos: the notes of an answer name defaults. */
function lintOf(body: JsonObject, { options }: Fixture) {
  const { findings } = lint([{ file: 'body.json', text: JSON.stringify(body) }], options).report
  const those = (severity: string) => findings.filter((one) => one.severity === severity).map(remarkOf)
  return { errors: those('error'), warnings: those('warning') }
}

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((one: Json): one is JsonObject => isObject(one)) : []

let judge: BodyJudge
const { post } = await serveTeam({ judge: (body) => judge(body), ends: afterAll })

/** What the API says of it, and whether it accepts it. */
async function answerTo(body: JsonObject, { options }: Fixture) {
  judge = createBodyJudge({ ...REGISTRY, settings: options.settings })
  const { status, body: answer } = await post(`${TEAM}?dryRun=true`, body)
  const said = listOf(answer.errors ?? answer.status?.warnings).filter(({ rule }) => rule !== BESIDE)
  return {
    status,
    own: said.filter(({ rule }) => OWN.test(String(rule))),
    said: said.filter(({ rule }) => !OWN.test(String(rule))),
  }
}

const sorted = (remarks: readonly object[]): readonly string[] => remarks.map((one) => JSON.stringify(one)).sort()

const answers: Awaited<ReturnType<typeof answerTo>>[] = []

it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
  '%s is judged in the same words',
  async (_, fixture) => {
    for (const body of bodiesOf(fixture)) {
      const { errors, warnings } = lintOf(body, fixture)
      const answer = await answerTo(body, fixture)
      answers.push(answer)
      const { status, own, said } = answer
      expect({ body, isAccepted: status < 400 }).toEqual({ body, isAccepted: errors.length + own.length === 0 })
      expect(sorted(said)).toEqual(sorted(status < 400 ? warnings : errors))
    }
  },
)

it('some are refused, and some accepted with a warning', () => {
  expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThan(50)
  expect(answers.filter(({ status, said }) => status < 400 && said.length > 0).length).toBeGreaterThan(5)
})
