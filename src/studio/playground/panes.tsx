/** What is shown beside the editor: findings, the nginx configuration, limits and conditions. */
import type { FindingFix, LintResult, Result, TextSource } from '../../browser.ts'
import { library } from '../library/library.ts'
import { Scrolled } from '../scrolled.tsx'
import { useAnswer } from '../use-answer.ts'
import { type FileFinding, findingsIn, problemsOf, READ_AS } from './analysis.ts'

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
  const label = fix.kind === 'safe' ? 'Fix' : 'Fix, which may change what happens'
  return (
    <button type="button" aria-label={`${label}: ${message}`} onClick={() => onFix(file, fix)}>
      {label}
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

/** What `sluice status` prints. */
export function Conditions({ files }: { readonly files: readonly TextSource[] }) {
  const answer = useAnswer(async () => {
    const { status, formatStatus } = library()
    const found = await status(files, READ_AS)
    return found.ok ? formatStatus(found.value, 'table', { width: 72 }) : found
  }, [files])
  return answer?.ok ? <Printed name="Conditions" text={answer.value} /> : <Problems result={answer} />
}

/** A text as the command line prints it. */
export function Printed({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <Scrolled class="play-text" label={name}>
      <pre>{text}</pre>
    </Scrolled>
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
