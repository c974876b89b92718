/** The anchor and the tag of a node: what kubectl rejects and js-yaml does not. */
import type { MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml'
import { isSpaceAt, wordEnd } from '../scan.ts'
import { type Builder, fileSpan, report } from './builder.ts'
import { rejectTabs } from './tabs.ts'

type NodeEvent = ScalarEvent | SequenceEvent | MappingEvent

/** Moves the cursor past the anchor and the tag of a node, where they end as kubectl wants it. */
export function readProperties(builder: Builder, event: NodeEvent): void {
  const { source } = builder
  const { tagStart, tagEnd, anchorStart, anchorEnd } = event
  if (tagStart === -1 && anchorStart === -1) return
  const spans = [
    { start: tagStart, end: tagEnd },
    { start: anchorStart - 1, end: anchorEnd },
  ]
  for (const { start, end } of spans.filter(({ end }) => end !== -1).sort((one, other) => one.start - other.start)) {
    rejectTabs(builder, start)
    builder.cursor = Math.max(builder.cursor, end)
  }
  if (tagStart !== -1 && !(TAG.test(source.slice(tagStart, tagEnd)) && isSpaceAt(source, tagEnd)))
    report(
      builder,
      ['tag', `"${source.slice(tagStart, wordEnd(source, tagEnd))}" is not a valid tag`],
      fileSpan(builder, tagStart, tagEnd),
    )
  if (anchorStart !== -1 && !/^(?:$|[\s?:,\]}%@`])/.test(source.slice(anchorEnd, anchorEnd + 1)))
    report(
      builder,
      ['anchor-name', 'a space must follow the name of an anchor'],
      fileSpan(builder, anchorStart, anchorEnd),
    )
}

/** A tag as both parsers read it: without escapes, which are not in use. */
const TAG = /^!(?!!$)[^%#]*$/

/** The names of anchors that go-yaml takes. */
export const ANCHOR_NAME = /^[\w-]+$/

/** The name of the anchor of a node that has one. */
export function anchorName(builder: Builder, { anchorStart, anchorEnd }: NodeEvent): string {
  const name = builder.source.slice(anchorStart, anchorEnd)
  if (!ANCHOR_NAME.test(name))
    report(builder, ['anchor-name', `"${name}" is not a valid anchor name`], fileSpan(builder, anchorStart, anchorEnd))
  return name
}
