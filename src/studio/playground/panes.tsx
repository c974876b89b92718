/** What is shown beside the editor: findings, the nginx configuration, limits and conditions. */
import { useEffect, useRef } from 'preact/hooks'
import type { FindingFix, LintResult, Result, TextSource } from '../../browser.ts'
import { library } from '../library/library.ts'
import { configurationParts, type FileFinding, findingsIn, problemsOf, READ_AS, useAnswer } from './analysis.ts'

export type FindingsProps = {
  readonly lint: LintResult
  /** Their names, in their order. */
  readonly files: readonly string[]
  onGoTo(finding: FileFinding): void
  onFix(file: string, fix: FindingFix): void
}

const SEVERITIES = { error: 'Error', warning: 'Warning', info: 'Info' } as const

export function Findings({ lint, files, onGoTo, onFix }: FindingsProps) {
  const findings = files.flatMap((file) => findingsIn(lint, file))
  return (
    <section aria-label="Findings">
      <p role="status">{summaryOf(findings)}</p>
      <ul class="play-findings">
        {findings.map((finding) => (
          <li key={`${finding.file}:${finding.line}:${finding.column}:${finding.rule}:${finding.message}`}>
            <p>
              <strong class={`play-${finding.severity}`}>{SEVERITIES[finding.severity]}</strong>{' '}
              <button type="button" class="link" onClick={() => onGoTo(finding)}>
                {finding.file}:{finding.line}:{finding.column}
              </button>{' '}
              <code>{finding.rule}</code>
            </p>
            <p>{finding.message}</p>
            <p class="muted">{finding.help}</p>
            <FixButton finding={finding} onFix={onFix} />
          </li>
        ))}
      </ul>
      <NotJudged lint={lint} />
    </section>
  )
}

function summaryOf(findings: readonly FileFinding[]): string {
  if (findings.length === 0) return 'Nothing to report.'
  const count = (severity: string, noun: string) => {
    const { length } = findings.filter((one) => one.severity === severity)
    return length === 0 ? [] : [`${length} ${noun}${length === 1 ? '' : 's'}`]
  }
  return [...count('error', 'error'), ...count('warning', 'warning'), ...count('info', 'info')].join(', ')
}

export function FixButton({
  finding: { file, fix, message },
  onFix,
}: {
  finding: FileFinding
  onFix: FindingsProps['onFix']
}) {
  if (!fix) return null
  return (
    <button type="button" aria-label={`Fix: ${message}`} onClick={() => onFix(file, fix)}>
      {fix.kind === 'safe' ? 'Fix' : 'Fix, which may change what happens'}
    </button>
  )
}

function NotJudged({ lint: { notJudged } }: { readonly lint: LintResult }) {
  if (notJudged.length === 0) return null
  return (
    <details>
      <summary>Left out ({notJudged.length})</summary>
      <ul>
        {notJudged.map(({ file, reason }) => (
          <li key={`${file}${reason}`}>
            {file}: {reason}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** The configuration of each Gateway. Lines about the chosen limit are marked. */
export function Configuration({ files, marked, onMark }: ConfigurationProps) {
  const answer = useAnswer(() => library().render(files, READ_AS), [files])
  if (!answer?.ok) return <Problems result={answer} />
  const parts = configurationParts(answer.value)
  const zones = [...new Set(parts.flatMap(({ text }) => text.split('\n').flatMap((line) => zoneIn(line) ?? [])))]
  return (
    <section aria-label="nginx configuration">
      <label>
        Mark the limit{' '}
        <select
          value={zones.includes(marked) ? marked : ''}
          onChange={({ currentTarget }) => onMark(currentTarget.value)}
        >
          <option value="">none</option>
          {zones.map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </select>
      </label>
      {parts.map(({ title, text }) => (
        <div key={title}>
          <h2>{title}</h2>
          <Lines text={text} marked={marked} title={title} />
        </div>
      ))}
      {answer.value.notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
    </section>
  )
}

type ConfigurationProps = {
  readonly files: readonly TextSource[]
  /** The zone of the limit whose directives are marked; empty for none. */
  readonly marked: string
  onMark(zone: string): void
}

/** The zone that a directive names. */
const zoneIn = (line: string): string | undefined => /\bzone="?([\w-]+)/.exec(line)?.[1]

function Lines({ text, marked, title }: { readonly text: string; readonly marked: string; readonly title: string }) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    const first = box.current?.querySelector('mark')
    if (box.current && first) box.current.scrollTop = first.offsetTop - box.current.clientHeight / 3
  }, [text, marked])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by the keyboard
    <section class="play-text" tabIndex={0} aria-label={`Configuration of ${title}`} ref={box}>
      <pre>
        {text
          .split('\n')
          .map((line, index) =>
            marked !== '' && zoneIn(line) === marked ? <mark key={index}>{`${line}\n`}</mark> : `${line}\n`,
          )}
      </pre>
    </section>
  )
}

/** What `sluice status` prints. */
export function Conditions({ files }: { readonly files: readonly TextSource[] }) {
  const answer = useAnswer(async () => {
    const { status, formatStatus } = library()
    const found = await status(files, READ_AS)
    return found.ok ? formatStatus(found.value, 'table', { width: 72 }) : found
  }, [files])
  return answer?.ok ? <Printed name="Conditions" text={answer.value} /> : <Problems result={answer} />
}

type LimitsProps = { readonly files: readonly TextSource[]; readonly target: string | undefined }

/** What `sluice effective` prints. */
export function Limits({ files, target = '' }: LimitsProps) {
  const answer = useAnswer(async () => {
    const { effective, formatEffective } = library()
    const found = await effective(files, target, READ_AS)
    return found.ok ? formatEffective(found.value, 'text', { width: 72 }) : found
  }, [files, target])
  if (target === '') return <p>There is no route and no Gateway in these files.</p>
  return answer?.ok ? <Printed name="Limits" text={answer.value} /> : <Problems result={answer} />
}

/** A text as the command line prints it. */
function Printed({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by the keyboard
    <section class="play-text" tabIndex={0} aria-label={name}>
      <pre>{text}</pre>
    </section>
  )
}

/** What is wrong where there is no answer; while there is none yet, that. */
export function Problems({ result }: { readonly result: Result<unknown> | undefined }) {
  if (!result) return <p role="status">Loading …</p>
  return (
    <ul>
      {problemsOf(result).map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </ul>
  )
}
