/** What a change does: the manifests and the nginx configuration before and after it, and whether nginx will take it. */
import type { RenderResult, Result, TextSource } from '../../browser.ts'
import { library } from '../library/library.ts'
import { SideBySide } from '../side-by-side.tsx'
import { useAnswer } from '../use-answer.ts'
import { type Analysis, configurationParts, type FileFinding, findingsIn, READ_AS } from './analysis.ts'
import { type FindingsProps, FixButton, Problems } from './panes.tsx'

/** The rule about limits whose key changes while nginx keeps their zone. */
const KEY_CHANGE = 'gateway/key-change-without-zone-resize'

type UpdateProps = Pick<FindingsProps, 'onFix' | 'onGoTo'> & {
  readonly analysis: Analysis
  readonly previous: readonly TextSource[] | undefined
}

export function Update({ analysis, previous, onFix, onGoTo }: UpdateProps) {
  if (!previous)
    return (
      <section aria-label="Update">
        <p>
          There is no earlier version. <em>Compare with this version</em> keeps the files as they are now; what you
          change then is shown here.
        </p>
      </section>
    )
  return (
    <section aria-label="Update">
      <KeyChange analysis={analysis} onFix={onFix} onGoTo={onGoTo} />
      <h2>Manifests</h2>
      <Pairs
        before={previous.map(({ file, text }) => ({ title: file, text }))}
        after={analysis.files.map(({ file, text }) => ({ title: file, text }))}
      />
      <h2>nginx configuration</h2>
      <Configurations previous={previous} files={analysis.files} />
    </section>
  )
}

/** Whether a running nginx refuses the new configuration, and why. */
function KeyChange({ analysis: { lint, files }, onFix, onGoTo }: Omit<UpdateProps, 'previous'>) {
  const why = useAnswer(() => library().explain(KEY_CHANGE), [])
  const found = files.flatMap(({ file }) => findingsIn(lint, file)).filter(({ rule }) => rule === KEY_CHANGE)
  const refused = found.filter(({ severity }) => severity === 'error')
  if (found.length === 0)
    return (
      <p role="status">No limit changes its key while its zone keeps its name and size, which nginx would refuse.</p>
    )
  return (
    <div class="play-trap" data-refused={refused.length > 0}>
      <p role="status">
        <strong>
          {refused.length > 0
            ? 'nginx will refuse this change when it reloads, and keep the old configuration.'
            : 'A key changes, and its zone with it.'}
        </strong>
      </p>
      <ul class="play-findings">
        {found.map((finding) => (
          <Change key={`${finding.file}:${finding.line}:${finding.message}`} finding={finding} {...{ onFix, onGoTo }} />
        ))}
      </ul>
      {why?.ok && <p class="muted">{why.value.why}</p>}
    </div>
  )
}

function Change({
  finding,
  onFix,
  onGoTo,
}: Pick<FindingsProps, 'onFix' | 'onGoTo'> & { readonly finding: FileFinding }) {
  const { file, line, column, message, help } = finding
  return (
    <li>
      <p>
        <button type="button" class="link" onClick={() => onGoTo(finding)}>
          {file}:{line}:{column}
        </button>{' '}
        {message}
      </p>
      <p class="muted">{help}</p>
      <FixButton finding={finding} onFix={onFix} />
    </li>
  )
}

type Titled = { readonly title: string; readonly text: string }

/** Texts of the same title side by side. Texts that do not differ are counted. */
function Pairs({ before, after }: { readonly before: readonly Titled[]; readonly after: readonly Titled[] }) {
  const titles = [...new Set([...before, ...after].map(({ title }) => title))]
  const textOf = (texts: readonly Titled[], wanted: string) => texts.find(({ title }) => title === wanted)?.text
  const changed = titles.filter((title) => textOf(before, title) !== textOf(after, title))
  const same = titles.length - changed.length
  return (
    <>
      {changed.map((title) => {
        const [old, now] = [textOf(before, title), textOf(after, title)]
        return (
          <div key={title}>
            <h3>{`${title}${old === undefined ? ', added' : now === undefined ? ', removed' : ''}`}</h3>
            <SideBySide
              before={old ?? ''}
              after={now ?? ''}
              beforeLabel={`Before: ${title}`}
              afterLabel={`After: ${title}`}
            />
          </div>
        )
      })}
      {same > 0 && <p class="muted">Without a change: {same}.</p>}
    </>
  )
}

type ConfigurationsProps = { readonly previous: readonly TextSource[]; readonly files: readonly TextSource[] }

function Configurations({ previous, files }: ConfigurationsProps) {
  const before = useAnswer(() => library().render(previous, READ_AS), [previous])
  const after = useAnswer(() => library().render(files, READ_AS), [files])
  const wrong = [before, after].find((one) => !one?.ok)
  if (!before || !after || wrong) return <Problems result={wrong} />
  return <Pairs before={partsOf(before)} after={partsOf(after)} />
}

const partsOf = (answer: Result<RenderResult>): readonly Titled[] => (answer.ok ? configurationParts(answer.value) : [])
