/** What a proxy does: the nginx configuration, and the traffic that it lets through. */
import { useMemo, useState } from 'preact/hooks'
import type { RenderResult } from '../../../browser.ts'
import type { JsonObject } from '../../../json/member.ts'
import { library } from '../../library/library.ts'
import { loadedLater } from '../../loaded-later.tsx'
import { Scrolled } from '../../scrolled.tsx'
import { SideBySide } from '../../side-by-side.tsx'
import { useAnswer } from '../../use-answer.ts'
import { CheckField } from '../fields.tsx'
import { textOf } from './draft.ts'

type PreviewProps = { readonly body: JsonObject; readonly before: JsonObject }

const sourceOf = (body: JsonObject) => ({ file: 'proxy.json', text: textOf(body) })

/** The configuration of a body as text. */
async function configurationOf(text: string): Promise<string> {
  const result = await library().render([{ file: 'proxy.json', text }], { closedWorld: true })
  return result.ok ? textIn(result.value) : result.problems.map(({ message }) => `# ${message}`).join('\n')
}

const textIn = ({ apiManagement, notes }: RenderResult): string =>
  [...apiManagement.flatMap(({ files }) => files.map(({ text }) => text)), ...notes.map((note) => `# ${note}\n`)].join(
    '\n',
  )

export function Preview({ body, before }: PreviewProps) {
  const [isCompared, setIsCompared] = useState(false)
  const [now, stored] = [textOf(body), textOf(before)]
  const isChanged = now !== stored
  const isBoth = isChanged && isCompared
  const shown = useAnswer(
    async () => ({ text: await configurationOf(now), old: isBoth ? await configurationOf(stored) : undefined }),
    [now, stored, isBoth],
  )
  if (shown === undefined) return <p role="status">Loading …</p>
  const { text, old } = shown
  return (
    <section aria-label="nginx configuration">
      {isChanged && (
        <CheckField label="Compare with the stored version" checked={isCompared} onChange={setIsCompared} />
      )}
      {isBoth && old !== undefined ? (
        <SideBySide before={old} after={text} beforeLabel="Stored" afterLabel="With your changes" />
      ) : (
        <Scrolled class="changes" label="Configuration of the proxy">
          <pre>{text}</pre>
        </Scrolled>
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
