/** The limits that requests to the chosen route meet, one layer on the other. */
import { useMemo, useState } from 'preact/hooks'
import type { TextSource } from '../../browser.ts'
import { library } from '../library/library.ts'
import { useAnswer } from '../use-answer.ts'
import { READ_AS } from './analysis.ts'
import { type Layer, type LayerLimit, type Stack, stacksOf } from './layers.ts'
import { type Range, rangeOfLimit } from './manifest-places.ts'
import { Printed, Problems } from './panes.tsx'

/** A limit that was chosen: its zone, empty where it has none, and where it is written. */
type ChosenLimit = { readonly zone: string; readonly at: Range | undefined }

type LimitsProps = {
  readonly files: readonly TextSource[]
  /** `HTTPRoute/shop/coffee`; undefined where there is nothing to ask about. */
  readonly target: string | undefined
  /** The zone whose directives are marked; empty for none. */
  readonly marked: string
  onChoose(limit: ChosenLimit): void
}

export function Limits({ files, target, ...rest }: LimitsProps) {
  if (target === undefined) return <p>There is no route, Gateway or API proxy in these files.</p>
  return <LimitsOf files={files} target={target} {...rest} />
}

function LimitsOf({ files, target, marked, onChoose }: LimitsProps & { readonly target: string }) {
  const answer = useAnswer(async () => {
    const { effective, formatEffective } = library()
    const found = await effective(files, target, READ_AS)
    if (!found.ok) return found
    const text = await formatEffective(found.value, 'text', { width: 72 })
    return { ok: true as const, value: { limits: found.value, files, text: text.ok ? text.value : '' } }
  }, [files, target])
  const stacks = useMemo(() => (answer?.ok ? stacksOf(answer.value.limits, answer.value.files) : []), [answer])
  if (!answer?.ok) return <Problems result={answer} />
  return (
    <section aria-label="Limits">
      {stacks.map((stack) => (
        <StackShown key={stack.title} stack={stack} files={files} marked={marked} onChoose={onChoose} />
      ))}
      <details>
        <summary>As the command line prints it</summary>
        <Printed name="Limits as text" text={answer.value.text} />
      </details>
    </section>
  )
}

type StackProps = Pick<LimitsProps, 'files' | 'marked' | 'onChoose'> & { readonly stack: Stack }

/** What becomes of a layer, in words. */
const STATES = {
  own: 'own',
  inherited: 'inherited',
  overridden: 'overridden',
  conflicted: 'conflicted',
  rejected: 'rejected',
  'not-in-force': 'not in force',
} as const satisfies Record<Layer['state'], string>

function StackShown({ stack: { title, layers }, files, marked, onChoose }: StackProps) {
  const [chosen, setChosen] = useState('')
  const choose = (layer: Layer, limit: LayerLimit, position: number) => {
    setChosen(idOf(layer, limit))
    onChoose({ zone: limit.zone, at: rangeOf(files, layer, limit, position) })
  }
  const isChosen = (layer: Layer, limit: LayerLimit) =>
    limit.zone === '' ? chosen === idOf(layer, limit) : limit.zone === marked
  return (
    <>
      <h2>{title}</h2>
      {layers.length === 0 && <p>No limits apply.</p>}
      <ol class="play-stack">
        {layers.map((layer) => (
          <li key={`${layer.state} ${layer.name}`} class="play-layer" data-state={layer.state}>
            <p>
              <strong>{layer.name}</strong> <span class="play-state">{STATES[layer.state]}</span>{' '}
              <span class="muted">{layer.reason}</span>
            </p>
            {layer.limits.map((limit, position) => (
              <button
                key={limit.index}
                type="button"
                aria-pressed={isChosen(layer, limit)}
                onClick={() => choose(layer, limit, position)}
              >
                <code>
                  rules[{limit.index}] {limit.what}
                </code>
                {limit.details.map((detail) => (
                  <span key={detail}>{detail}</span>
                ))}
              </button>
            ))}
          </li>
        ))}
      </ol>
    </>
  )
}

const idOf = ({ name, state }: Layer, { index }: LayerLimit): string => `${state} ${name} ${index}`

/** Where a limit is written. */
function rangeOf(
  files: readonly TextSource[],
  { policy, at }: Layer,
  { index }: LayerLimit,
  position: number,
): Range | undefined {
  if (policy) return rangeOfLimit(files, { policy, index })
  const line = at?.lines[position]
  const text = files.find(({ file }) => file === at?.file)?.text
  if (!at || !line || text === undefined) return undefined
  const lines = text.split('\n')
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  return { file: at.file, from, to: from + (lines[line - 1] ?? '').length }
}
