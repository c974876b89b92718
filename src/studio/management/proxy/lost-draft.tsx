/** Changes of a proxy that is not there any more, as somebody else has deleted it. */

import { Scrolled } from '../../scrolled.tsx'
import { useKept } from '../../use-kept.ts'
import { mayChange, useAction, useManagement } from '../context.ts'
import { Failure } from '../fields.tsx'
import { linkTo, PATHS, type ProxyPlace, placeIn } from '../place.ts'
import { type Draft, draftKey, textOf } from './draft.ts'

type LostProps = { readonly place: ProxyPlace; onStored(): void }

export function LostDraft({ place, onStored }: LostProps) {
  const { api, session } = useManagement()
  const [draft, setDraft] = useKept<Draft | undefined>(draftKey(place), undefined)
  const { isBusy, problem, run } = useAction()
  if (!draft) return null
  const store = async () => {
    const { body } = await api.post(PATHS.proxies(place.workspace), draft.body)
    setDraft(undefined)
    location.hash = linkTo({ view: 'proxy', ...placeIn(place.workspace, body) })
    // Where that is the place of before, nothing else reads it.
    onStored()
  }
  return (
    <section class="meanwhile" aria-label="Your changes">
      <p>
        <strong>Your changes are not stored.</strong> They are kept in this tab; with them the proxy is:
      </p>
      <Scrolled class="changes" label="The proxy with your changes">
        <pre>{textOf(draft.body)}</pre>
      </Scrolled>
      <Failure text={problem} />
      <p class="buttons">
        {mayChange(session, place.workspace) && (
          <button type="button" disabled={isBusy} onClick={() => run(store)}>
            Store it as a new proxy
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={() => setDraft(undefined)}>
          Drop my changes
        </button>
      </p>
    </section>
  )
}
