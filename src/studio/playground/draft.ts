/** What somebody has changed in the playground: kept in its tab, so that a reload does not lose it. */
import { keep, keptIn } from '../kept.ts'
import { isState, type PlaygroundState } from './state.ts'

/** The state, the file in the editor, and the link that it began with: the fragment of an address, or empty. */
export type PlaygroundDraft = { readonly link: string; readonly state: PlaygroundState; readonly file: string }

const NAME = 'playground'

/** Keeps it; false where it is too large for the browser, so that a reload would lose it. */
export const keepDraft = (draft: PlaygroundDraft): boolean => keep(NAME, draft)

export const dropDraft = (): void => void keep(NAME, undefined)

/** What was kept, for a link; undefined where there is nothing, and where the link is another one than it began with. */
export function draftFor(link: string): PlaygroundDraft | undefined {
  const kept = keptIn<unknown>(NAME)
  return isDraft(kept) && (link === '' || link === kept.link) ? kept : undefined
}

const isDraft = (value: unknown): value is PlaygroundDraft =>
  typeof value === 'object' &&
  value !== null &&
  'link' in value &&
  'state' in value &&
  'file' in value &&
  typeof value.link === 'string' &&
  typeof value.file === 'string' &&
  isState(value.state)
