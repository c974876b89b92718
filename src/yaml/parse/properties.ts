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
  const starts = [tagStart, anchorStart - 1].filter((start) => start >= 0)
  rejectTabs(builder, Math.min(...starts))
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
  builder.cursor = Math.max(builder.cursor, tagEnd, anchorEnd)
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
