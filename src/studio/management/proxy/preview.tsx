/** What a proxy does: the nginx configuration, and the traffic that it lets through. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RenderResult } from '../../../browser.ts'
import type { JsonObject } from '../../../json/member.ts'
import { library } from '../../library/library.ts'
import { loadedLater } from '../../loaded-later.tsx'
import { SideBySide } from '../../side-by-side.tsx'
import { textOf } from './draft.ts'

type PreviewProps = { readonly body: JsonObject; readonly before: JsonObject }

const sourceOf = (body: JsonObject) => ({ file: 'proxy.json', text: textOf(body) })

/** The configuration as text; undefined until it is there. */
function useConfiguration(text: string): string | undefined {
  const [rendered, setRendered] = useState<string>()
  useEffect(() => {
    let isWanted = true
    void library()
      .render([{ file: 'proxy.json', text }], { closedWorld: true })
      .then((result) => {
        if (!isWanted) return
        setRendered(result.ok ? textIn(result.value) : result.problems.map(({ message }) => `# ${message}`).join('\n'))
      })
    return () => {
      isWanted = false
    }
  }, [text])
  return rendered
}

const textIn = ({ apiManagement, notes }: RenderResult): string =>
  [...apiManagement.flatMap(({ files }) => files.map(({ text }) => text)), ...notes.map((note) => `# ${note}\n`)].join(
    '\n',
  )

export function Preview({ body, before }: PreviewProps) {
  const [isCompared, setIsCompared] = useState(false)
  const text = useConfiguration(textOf(body))
  const old = useConfiguration(textOf(before))
  const isChanged = textOf(body) !== textOf(before)
  if (text === undefined || old === undefined) return <p role="status">Loading …</p>
  return (
    <section aria-label="nginx configuration">
      {isChanged && (
        <label class="check">
          <input
            type="checkbox"
            checked={isCompared}
            onChange={({ currentTarget }) => setIsCompared(currentTarget.checked)}
          />
          Compare with the stored version
        </label>
      )}
      {isChanged && isCompared ? (
        <SideBySide before={old} after={text} beforeLabel="Stored" afterLabel="With your changes" />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by the keyboard
        <section class="changes" tabIndex={0} aria-label="Configuration of the proxy">
          <pre>{text}</pre>
        </section>
      )}
    </section>
  )
}

const Simulation = loadedLater(async () => (await import('../../simulation/simulation.tsx')).Simulation)

export function SimulatedProxy({ name, body, before }: PreviewProps & { readonly name: string }) {
  const sources = useMemo(() => [sourceOf(body)], [body])
  const previous = useMemo(() => (textOf(before) === textOf(body) ? undefined : [sourceOf(before)]), [before, body])
  return <Simulation sources={sources} route={`Proxy/${name}`} {...(previous ? { previous } : {})} />
}
