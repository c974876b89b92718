/** What is shown beside the editor: findings, the nginx configuration, limits and conditions. */
import { useState } from 'preact/hooks'
import type { FindingFix, LintResult, RenderResult } from '../../browser.ts'
import { type Analysis, type FileFinding, findingsIn } from './analysis.ts'

type FindingsProps = {
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

function FixButton({
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

const isText = (value: RenderResult | readonly string[]): value is readonly string[] => Array.isArray(value)

/** The configuration of each Gateway. Lines about the chosen limit are marked. */
export function Configuration({ configuration }: Pick<Analysis, 'configuration'>) {
  const [chosen, setChosen] = useState('')
  if (isText(configuration)) return <Problems problems={configuration} />
  const parts = [
    ...configuration.gateways.flatMap(({ namespace, name, files }) =>
      files.map((file) => ({ title: `Gateway ${namespace}/${name}`, text: file.text })),
    ),
    ...configuration.apiManagement.flatMap(({ files }) => files.map(({ name, text }) => ({ title: name, text }))),
  ]
  const zones = [
    ...new Set(parts.flatMap(({ text }) => [...text.matchAll(/\bzone="?([\w-]+)/g)].map(([, zone = '']) => zone))),
  ]
  return (
    <section aria-label="nginx configuration">
      <label>
        Mark the limit{' '}
        <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          <option value="">none</option>
          {zones.map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </select>
      </label>
      {parts.map(({ title, text }) => (
        <div key={title + text.length}>
          <h2>{title}</h2>
          <Lines text={text} marked={chosen} title={title} />
        </div>
      ))}
      {configuration.notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
    </section>
  )
}

function Lines({ text, marked, title }: { readonly text: string; readonly marked: string; readonly title: string }) {
  const isMarked = (line: string) => marked !== '' && new RegExp(`\\bzone="?${marked}\\b(?!-)`).test(line)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by the keyboard
    <section class="play-text" tabIndex={0} aria-label={`Configuration of ${title}`}>
      <pre>
        {text.split('\n').map((line, index) => (isMarked(line) ? <mark key={index}>{`${line}\n`}</mark> : `${line}\n`))}
      </pre>
    </section>
  )
}

/** A text as the command line prints it. */
export function Printed({
  name,
  text,
}: {
  readonly name: string
  readonly text: string | readonly string[] | undefined
}) {
  if (text === undefined) return <p>There is no route and no Gateway in these files.</p>
  if (typeof text !== 'string') return <Problems problems={text} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by the keyboard
    <section class="play-text" tabIndex={0} aria-label={name}>
      <pre>{text}</pre>
    </section>
  )
}

function Problems({ problems }: { readonly problems: readonly string[] }) {
  return (
    <ul>
      {problems.map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </ul>
  )
}
