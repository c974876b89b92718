/** The editor of one file. It stands in a shadow tree, where its style sheets need no exception of the page's policy. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** A place in the text. Lines and columns count from 1. */
export type Place = { readonly line: number; readonly column: number }

export type EditorProps = {
  /** Another name is another file, with a history of its own. */
  readonly file: string
  readonly text: string
  readonly diagnostics: readonly Diagnostic[]
  /** Where the cursor is to go, once for each value that is another object. */
  readonly goTo: Place | undefined
  /** A range that is shown and marked, once for each value that is another object. UTF-16 offsets. */
  readonly pointed: Offsets | undefined
  onChange(text: string): void
  /** Called with the UTF-16 offset of the cursor where it moves. */
  onCursor(offset: number): void
}

type Offsets = { readonly from: number; readonly to: number }

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--info)' },
  { tag: [tags.string, tags.content], color: 'var(--text)' },
  { tag: [tags.comment, tags.meta, tags.separator], color: 'var(--muted)' },
])

const LOOK = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '0.875rem', height: '100%' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '.cm-pointed': { boxShadow: 'inset 3px 0 var(--accent)', backgroundColor: 'var(--raised)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--muted)' },
  '[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionInfo': { maxWidth: '20rem' },
  '.cm-completionInfo p': { margin: '0.2rem 0' },
  '.cm-help': { maxWidth: 'min(32rem, 85vw)', padding: '0.3rem 0.6rem', fontFamily: 'system-ui, sans-serif' },
  '.cm-help p': { margin: '0.2rem 0' },
  '.cm-help-name': { fontFamily: 'var(--mono)', fontWeight: '600' },
  '.cm-diagnostic': { fontFamily: 'system-ui, sans-serif' },
  '.cm-diagnosticAction': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-diagnosticSource': { opacity: '1', color: 'var(--muted)' },
  '&.cm-focused': { outline: '2px solid var(--focus)' },
})

const POINT = StateEffect.define<Offsets>()

const POINTED_LINE = Decoration.line({ class: 'cm-pointed' })

/** The lines of the range that is pointed at. */
const POINTED = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, { state: { doc }, changes, effects }) {
    const point = effects.find((effect) => effect.is(POINT))
    if (!point) return lines.map(changes)
    const { number: first } = doc.lineAt(point.value.from)
    const { number: last } = doc.lineAt(point.value.to)
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    return Decoration.set(numbers.map((number) => POINTED_LINE.range(doc.line(number).from)))
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** Hover and completion, which are loaded after the editor is shown. */
const ASSISTANCE = new Compartment()
let assistance: Extension = []

const EXTENSIONS = [
  lineNumbers(),
  lintGutter(),
  history(),
  highlightActiveLine(),
  bracketMatching(),
  indentUnit.of('  '),
  yaml(),
  syntaxHighlighting(COLOURS),
  // Escape, then Tab, leaves the editor.
  keymap.of([...lintKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
  EditorView.contentAttributes.of({ 'aria-label': 'Manifest', tabindex: '0' }),
  POINTED,
  LOOK,
]

export function Editor({ file, text, diagnostics, goTo, pointed, onChange, onCursor }: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | undefined>(undefined)
  const calls = useRef({ onChange, onCursor })
  calls.current = { onChange, onCursor }
  // Texts that were written here and have not come back yet. They may be older than what is written by then.
  const written = useRef<string[]>([])
  // True while the editor is given a text, which nobody has written in it.
  const isGiven = useRef(false)
  // All effects run before the next frame is drawn, so that marks are in it, and one after the other.
  useLayoutEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const created = new EditorView({
      parent: root,
      root,
      state: EditorState.create({ doc: '', extensions: EXTENSIONS }),
    })
    view.current = created
    void import('./assistance.ts').then((loaded) => {
      assistance = loaded.ASSISTANCE
      created.dispatch({ effects: ASSISTANCE.reconfigure(assistance) })
    })
    return () => created.destroy()
  }, [])
  // Another file has a state of its own; its text is followed below.
  useLayoutEffect(() => {
    const following = EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
      if (docChanged || selectionSet) calls.current.onCursor(state.selection.main.head)
      if (!docChanged || isGiven.current) return
      const now = state.doc.toString()
      written.current.push(now)
      calls.current.onChange(now)
    })
    written.current = []
    view.current?.setState(
      EditorState.create({ doc: text, extensions: [...EXTENSIONS, ASSISTANCE.of(assistance), following] }),
    )
    calls.current.onCursor(0)
  }, [file])
  useLayoutEffect(() => {
    const { current } = view
    const own = written.current.indexOf(text)
    written.current.splice(0, own + 1)
    if (!current || own >= 0 || current.state.doc.toString() === text) return
    isGiven.current = true
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } })
    isGiven.current = false
  }, [text])
  useLayoutEffect(() => {
    const { current } = view
    if (!current) return
    const { length } = current.state.doc
    const inText = diagnostics.filter(({ to }) => to <= length)
    current.dispatch(setDiagnostics(current.state, inText))
  }, [diagnostics])
  useLayoutEffect(() => {
    const { current } = view
    if (!current || !goTo || goTo.line > current.state.doc.lines) return
    const line = current.state.doc.line(goTo.line)
    const at = Math.min(line.to, line.from + goTo.column - 1)
    current.dispatch({ selection: { anchor: at }, scrollIntoView: true })
    current.focus()
  }, [goTo])
  useLayoutEffect(() => {
    const { current } = view
    if (!current || !pointed || pointed.to > current.state.doc.length) return
    current.dispatch({ effects: POINT.of(pointed) })
    // Only the editor is scrolled: what was pressed stays where it is.
    const { scrollDOM } = current
    scrollDOM.scrollTop = current.lineBlockAt(pointed.from).top - scrollDOM.clientHeight / 3
  }, [pointed])
  return <div class="play-editor" ref={host} />
}
