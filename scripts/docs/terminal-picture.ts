/** Draws the output of a terminal as an SVG: text with escape sequences for colours in, a dark card out. */

/** A run of characters in one style. */
type Span = { readonly text: string; readonly column: number; readonly style: Style }
type Style = { readonly color: string; readonly bold: boolean; readonly faint: boolean; readonly underline: boolean }

const CELL = { width: 8, height: 19 }
const FONT_SIZE = 13
const PADDING = 20

const BACKGROUND = '#14181f'
const PLAIN: Style = { color: '#d5dbe5', bold: false, faint: false, underline: false }
/** The colours of the codes 30 to 37, and of their bright variants 90 to 97. */
const COLORS = ['#6b7280', '#ff7a75', '#7fd88f', '#f2c55c', '#7db4ff', '#d59bf6', '#6fd3d6', '#d5dbe5'] as const

/** Draws the output of a terminal. `title` describes it. */
export function terminalPicture(shown: string, title: string): string {
  const lines = readLines(shown.trimEnd())
  const columns = Math.max(...lines.flat().map(({ text, column }) => column + text.length))
  const width = columns * CELL.width + 2 * PADDING
  const height = lines.length * CELL.height + 2 * PADDING
  const drawn = lines.flatMap((spans, row) => spans.map((span) => drawSpan(span, row)))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(title)}</title>
<rect width="${width}" height="${height}" rx="10" fill="${BACKGROUND}" stroke="#2c333f"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" xml:space="preserve">
${drawn.join('\n')}
</g>
</svg>
`
}

/** Splits into lines of spans; a style lasts over line breaks, as in a terminal. */
function readLines(shown: string): readonly (readonly Span[])[] {
  let style = PLAIN
  return shown.split('\n').map((line) => {
    const spans: Span[] = []
    let column = 0
    for (const [, codes, text] of line.matchAll(ESCAPE_OR_TEXT)) {
      if (codes !== undefined) style = codes.split(';').map(Number).reduce(applyCode, style)
      else if (text !== undefined) {
        spans.push({ text, column, style })
        column += [...text].length
      }
    }
    return spans
  })
}

const ESCAPE_OR_TEXT = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m|([^${String.fromCharCode(27)}]+)`, 'g')

/** What a code changes; codes that have no meaning for a picture change nothing. */
function applyCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, faint: true }
  if (code === 4) return { ...style, underline: true }
  if (code === 22) return { ...style, bold: false, faint: false }
  if (code === 24) return { ...style, underline: false }
  if (code === 39) return { ...style, color: PLAIN.color }
  const color = COLORS[(code >= 90 ? code - 90 : code - 30) as number]
  return color === undefined ? style : { ...style, color }
}

/** Each span has its own position and width, so that columns are aligned in every font. */
function drawSpan({ text, column, style }: Span, row: number): string {
  const indent = text.length - text.trimStart().length
  const shown = text.trim()
  if (shown === '') return ''
  const attributes = [
    `x="${PADDING + (column + indent) * CELL.width}"`,
    `y="${PADDING + row * CELL.height + FONT_SIZE}"`,
    `textLength="${[...shown].length * CELL.width}"`,
    'lengthAdjust="spacingAndGlyphs"',
    `fill="${style.color}"`,
    style.bold ? 'font-weight="bold"' : '',
    style.faint ? 'opacity="0.6"' : '',
    style.underline ? 'text-decoration="underline"' : '',
  ]
  return `<text ${attributes.filter((attribute) => attribute !== '').join(' ')}>${escapeXml(shown)}</text>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
