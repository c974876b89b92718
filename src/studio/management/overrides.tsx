/** What an environment means for its proxies: what both say and only one decides, and what a change makes different. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { useAnswer } from '../use-answer.ts'
import { type Answer, ApiProblem, type Remark, wordsOf } from './api.ts'
import { linkTo } from './place.ts'

const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
const textsIn = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const messagesIn = (items: Json | undefined): readonly string[] =>
  objectsIn(items).map(({ message }) => String(message))

/** What of a proxy and of its environment is in vain beside the other. */
export function Overridden({ status }: { readonly status: Json | undefined }) {
  const messages = isObject(status) ? messagesIn(status.overrides) : []
  if (messages.length === 0) return null
  return (
    <ul aria-label="Overridden">
      {messages.map((message) => (
        <li key={message}>{sentence(message)}</li>
      ))}
    </ul>
  )
}

/** What the server would say of a change. */
type Judged = { readonly status?: JsonObject; readonly problem?: string; readonly remarks?: readonly Remark[] }

type EffectsProps = {
  readonly workspace: string
  /** Asks the server what a change would do. */
  dryRun(): Promise<Answer>
  /** What the answer depends on. */
  readonly inputs: readonly string[]
}

/** What a change of an environment would do, before it is stored. */
export function Effects({ workspace, dryRun, inputs }: EffectsProps) {
  const ask = async (): Promise<Judged> => {
    try {
      const { body: answered } = await dryRun()
      return isObject(answered.status) ? { status: answered.status } : {}
    } catch (error) {
      const remarks = error instanceof ApiProblem ? error.remarks : []
      return { problem: wordsOf(error), remarks }
    }
  }
  const judged = useAnswer(ask, inputs)
  if (!judged) return <p role="status">Loading …</p>
  const { status, problem, remarks = [] } = judged
  const warnings = status ? objectsIn(status.warnings) : []
  return (
    <section aria-label="What it would do" role="status">
      {problem !== undefined && <p class="failure">{problem}</p>}
      <Remarks label="Why it would be refused" remarks={remarks} />
      <Remarks label="Warnings" remarks={warnings} />
      {status && isObject(status.proxies) && <Touched workspace={workspace} proxies={status.proxies} isChange />}
    </section>
  )
}

type RemarksProps = { readonly label: string; readonly remarks: readonly (JsonObject | Remark)[] }

const Remarks = ({ label, remarks }: RemarksProps) =>
  remarks.length === 0 ? null : (
    <ul aria-label={label}>
      {remarks.map(({ pointer, message, remedy }) => (
        <li key={`${pointer}${message}`}>
          <code>{String(pointer)}</code>: {String(message)}. {String(remedy)}
        </li>
      ))}
    </ul>
  )

type TouchedProps = { readonly workspace: string; readonly proxies: JsonObject; readonly isChange?: boolean }

/** The proxies of an environment of which there is something to say. */
export function Touched({ workspace, proxies: { total, touched, broken, items }, isChange = false }: TouchedProps) {
  const shown = objectsIn(items)
  if (!isChange && shown.length === 0) return null
  return (
    <>
      {!isChange && <h2>What it overrides</h2>}
      {isChange && <p>{touchedWords(Number(total), Number(touched))}</p>}
      {Number(broken) > 0 && (
        <p class="failure">{Number(broken) === 1 ? '1 proxy' : `${broken} proxies`} would not answer.</p>
      )}
      <ul aria-label="Proxies that it touches">
        {shown.map((proxy) => (
          <TouchedProxy key={JSON.stringify([proxy.name, proxy.hostname, proxy.version])} {...{ workspace, proxy }} />
        ))}
      </ul>
    </>
  )
}

function touchedWords(total: number, touched: number): string {
  if (total === 0) return 'The environment has no proxy: the change touches none.'
  if (touched === 0) return `It changes nothing for the proxies of the environment, of which there are ${total}.`
  return `It touches ${touched} of ${total === 1 ? '1 proxy' : `${total} proxies`}.`
}

function TouchedProxy({ workspace, proxy }: { readonly workspace: string; readonly proxy: JsonObject }) {
  const { name, hostname, version, breaks, changes, overrides } = proxy
  const place = { workspace, name: String(name), hostname: String(hostname), version: String(version) }
  const said = [...textsIn(changes), ...messagesIn(overrides)]
  return (
    <li>
      <a href={linkTo({ view: 'proxy', ...place })}>
        {place.name} {place.version}
      </a>
      {place.hostname !== '' && ` at ${place.hostname}`}
      {breaks === true && (
        <>
          {' '}
          <span class="state failed">breaks</span>
        </>
      )}
      <ul>
        {said.map((text) => (
          <li key={text}>{sentence(text)}</li>
        ))}
      </ul>
    </li>
  )
}
