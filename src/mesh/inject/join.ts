/** Several texts with manifests as one stream. */
import { isJsonText } from '../../yaml/parse/split.ts'

/** Joins texts, each of YAML or JSON, so that kubectl reads the objects of all; undefined where YAML follows JSON. */
export function joinTexts(texts: readonly string[]): string | undefined {
  let joined = ''
  for (const text of texts.filter((one) => one.trim() !== '')) {
    if (joined === '') {
      joined = text
      continue
    }
    const next = text.replace(/^\uFEFF/, '')
    if (isJsonText(joined) && !isJsonText(next)) return undefined
    const ended = joined.endsWith('\n') ? joined : `${joined}\n`
    joined = ended + (isJsonText(joined) || next.startsWith('---') ? '' : '---\n') + next
  }
  return joined
}
