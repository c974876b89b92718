/** The proxies of a workspace: found, filtered and sorted by the server, however many there are. */
import { useState } from 'preact/hooks'
import type { JsonObject } from '../../json/member.ts'
import { Failure, SelectField, TextField } from './fields.tsx'
import { type ProxyQuestion, useFoundProxies } from './lists.ts'
import { linkTo, type ProxyPlace, placeIn } from './place.ts'
import { Requests } from './requests.tsx'
import { StateMark, stateOf } from './state.tsx'

type ListProps = {
  readonly workspace: string
  /** Grows when a proxy was made here. */
  readonly made: number
}

/** Proxies that are found by the eye, and that are shown at once. */
const FEW = 20
const AT_ONCE = 100

const ALL: ProxyQuestion = { part: '', within: 'name', state: '', sort: 'name', wanted: AT_ONCE }

export function ProxyList({ workspace, made }: ListProps) {
  const [question, setQuestion] = useState(ALL)
  const { value, problem } = useFoundProxies(workspace, question, made)
  const { items = [], total = 0 } = value ?? {}
  const isFiltered = question.part !== '' || question.state !== ''
  const ask = (more: Partial<ProxyQuestion>) => setQuestion((before) => ({ ...before, wanted: AT_ONCE, ...more }))
  return (
    <>
      <Failure text={problem} />
      {(total > FEW || isFiltered || question.within !== 'name') && <Filters question={question} ask={ask} />}
      {value && (total > items.length || isFiltered) && (
        <p role="status">
          {total > items.length
            ? `${items.length.toLocaleString()} of ${total.toLocaleString()} are shown.`
            : `${total.toLocaleString()} found.`}
        </p>
      )}
      {value && total === 0 && !isFiltered && <p>There is no proxy yet.</p>}
      {items.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                {COLUMNS.map(([title, column]) => (
                  <Title
                    key={column}
                    title={title}
                    column={column}
                    sort={question.sort}
                    onSort={(sort) => ask({ sort })}
                  />
                ))}
                <th scope="col">Requests</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {items.map((proxy) => (
                <ProxyRow
                  key={JSON.stringify(placeIn(workspace, proxy))}
                  place={placeIn(workspace, proxy)}
                  proxy={proxy}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {total > items.length && (
        <button type="button" onClick={() => ask({ wanted: items.length + AT_ONCE })}>
          Show more
        </button>
      )}
    </>
  )
}

const COLUMNS = [
  ['Name', 'name'],
  ['Hostname', 'hostname'],
  ['Version', 'version'],
  ['Environment', 'environment'],
  ['State', 'state'],
] as const

const STATES: Readonly<Record<string, string>> = {
  any: '',
  'in force': 'SUCCESS',
  failed: 'FAILED',
  'not in force yet': 'CONFIGURING',
}

type FiltersProps = { readonly question: ProxyQuestion; ask(more: Partial<ProxyQuestion>): void }

function Filters({ question: { part, within, state }, ask }: FiltersProps) {
  const shown = Object.keys(STATES).find((words) => STATES[words] === state) ?? 'any'
  return (
    <search class="filters">
      <TextField label="Find" value={part} onChange={(text) => ask({ part: text.trim() })} />
      <SelectField
        label="In the"
        value={within}
        options={['name', 'hostname']}
        onChange={(chosen) => ask({ within: chosen === 'hostname' ? 'hostname' : 'name' })}
      />
      <SelectField
        label="Which are"
        value={shown}
        options={Object.keys(STATES)}
        onChange={(words) => ask({ state: STATES[words] ?? '' })}
      />
    </search>
  )
}

type TitleProps = {
  readonly title: string
  readonly column: string
  readonly sort: string
  onSort(sort: string): void
}

/** The title of a column, which sorts by it, and from the last one the second time. */
function Title({ title, column, sort, onSort }: TitleProps) {
  const order = sort === column ? 'ascending' : sort === `-${column}` ? 'descending' : 'none'
  return (
    <th scope="col" aria-sort={order}>
      <button type="button" class="sort" onClick={() => onSort(order === 'ascending' ? `-${column}` : column)}>
        {title}
      </button>
    </th>
  )
}

function ProxyRow({ place, proxy }: { readonly place: ProxyPlace; readonly proxy: JsonObject }) {
  const state = stateOf(proxy)
  return (
    <tr>
      <th scope="row">{place.name}</th>
      <td>{place.hostname || <span class="muted">any</span>}</td>
      <td>{place.version}</td>
      <td>{state.environment}</td>
      <td>
        <StateMark state={state} />
      </td>
      <td>
        <Requests place={place} proxy={proxy} isShort />
      </td>
      <td>
        <a class="button" href={linkTo({ view: 'proxy', ...place })}>
          Edit Proxy
        </a>
      </td>
    </tr>
  )
}
