/** What the webhook would answer if the manifest that the cursor is in were applied. */
import { useMemo } from 'preact/hooks'
import type { AdmissionAnswer, TextSource } from '../../browser.ts'
import { library } from '../library/library.ts'
import { useAnswer } from '../use-answer.ts'
import { READ_AS } from './analysis.ts'
import type { EditorPlace } from './configuration.tsx'
import { identityOf, type Manifest, manifestAt, manifestsIn } from './manifest-places.ts'
import { Problems } from './panes.tsx'

type AdmissionProps = {
  readonly files: readonly TextSource[]
  /** The files before a change. */
  readonly previous: readonly TextSource[] | undefined
  /** Where the cursor is. */
  readonly place: EditorPlace
}

export function Admission({ files, previous, place: { file, offset } }: AdmissionProps) {
  const text = files.find((one) => one.file === file)?.text ?? ''
  const manifest = useMemo(() => manifestAt(text, offset), [text, offset])
  const answer = useAnswer(async () => {
    if (!manifest) return undefined
    const written = { file, text: text.slice(manifest.from, manifest.to) }
    const others = { file, text: text.slice(0, manifest.from) + text.slice(manifest.to) }
    const cluster = [
      ...files.map((one) => (one.file === file ? others : one)),
      ...versionsBefore(previous ?? [], manifest),
    ]
    return library().admit([written], { cluster, namespace: READ_AS.namespace })
  }, [files, previous, file, manifest?.from])
  return (
    <section aria-label="Admission">
      <p class="muted">
        What the webhook answers if the manifest at the cursor is applied to a cluster that has all others of these
        files
        {previous ? ', and the earlier version of it' : ''}.
      </p>
      {answer?.ok ? (
        <>
          {answer.value.answers.map((one) => (
            <Answer key={`${one.kind}/${one.name}`} answer={one} />
          ))}
          {answer.value.answers.length === 0 && <p role="status">The webhook is not asked about this manifest.</p>}
        </>
      ) : (
        manifest && <Problems result={answer} />
      )}
    </section>
  )
}

/** The same object in the earlier files. */
const versionsBefore = (previous: readonly TextSource[], manifest: Manifest): readonly TextSource[] =>
  previous.flatMap(({ file, text }) =>
    manifestsIn(text)
      .filter((one) => identityOf(one) === identityOf(manifest))
      .map(({ from, to }) => ({ file, text: text.slice(from, to) })),
  )

const OPERATIONS = { CREATE: 'is created', UPDATE: 'is updated' } as const

function Answer({ answer }: { readonly answer: AdmissionAnswer }) {
  const { kind, namespace, name, operation, allowed, message, causes, warnings } = answer
  const outcome = allowed ? (warnings.length > 0 ? 'Allowed, with warnings' : 'Allowed') : 'Denied'
  return (
    <div class="play-trap" data-refused={!allowed}>
      <p role="status">
        <strong class={allowed ? 'play-allowed' : 'play-error'}>{outcome}</strong>
        {`: ${kind} ${namespace}/${name} ${OPERATIONS[operation]}`}
      </p>
      {message !== null && <p class="play-message">{message}</p>}
      {causes.length > 0 && (
        <>
          <h2>Causes</h2>
          <ul>
            {causes.map((cause) => (
              <li key={`${cause.field} ${cause.message}`}>
                <code>{cause.field}</code>: {cause.message} <code class="muted">{cause.reason}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {warnings.length > 0 && (
        <>
          <h2>Warnings</h2>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
