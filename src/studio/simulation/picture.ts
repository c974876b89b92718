/** The plot as a PNG: the canvas of the page with its title, its legend and its background. */

const [MARGIN, LINE] = [16, 24]
const FONT = 'system-ui, sans-serif'

/** A PNG of what a frame shows: a list as the legend, and a canvas. Throws where the browser makes none. */
export async function pictureOf(frame: HTMLElement, title: string): Promise<Blob> {
  const plot = frame.querySelector('canvas')
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (!plot || !context) throw new Error('there is no plot')
  const scale = plot.width / plot.clientWidth || 1
  const width = plot.clientWidth + 2 * MARGIN
  const { color, backgroundColor } = getComputedStyle(frame)
  const entries = legendLines(frame, context, width - 2 * MARGIN)
  const top = MARGIN + LINE * (entries.lines + 1)
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round((top + plot.clientHeight + MARGIN) * scale)
  context.scale(scale, scale)
  context.fillStyle = backgroundColor
  context.fillRect(0, 0, width, canvas.height)
  context.textBaseline = 'middle'
  context.font = `600 15px ${FONT}`
  context.fillStyle = color
  context.fillText(title, MARGIN, MARGIN + LINE / 2, width - 2 * MARGIN)
  context.font = `13px ${FONT}`
  for (const { x, line, text, swatch } of entries.items) {
    const y = MARGIN + LINE * (line + 1.5)
    context.fillStyle = swatch
    context.fillRect(MARGIN + x, y - 6, 12, 12)
    context.fillStyle = color
    context.fillText(text, MARGIN + x + SWATCH, y)
  }
  context.drawImage(plot, MARGIN, top, plot.clientWidth, plot.clientHeight)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!blob) throw new Error('the browser makes no picture of this size')
  return blob
}

type Entry = { readonly x: number; readonly line: number; readonly text: string; readonly swatch: string }

/** Pixels from a swatch to its text, and behind the text. */
const [SWATCH, GAP] = [18, 18]

/** The entries of the legend with their places, in as many lines as the width needs. */
function legendLines(frame: HTMLElement, context: CanvasRenderingContext2D, width: number) {
  const items: Entry[] = []
  let [x, line] = [0, 0]
  context.font = `13px ${FONT}`
  for (const item of frame.querySelectorAll('li')) {
    const text = [...item.childNodes]
      .map(({ textContent }) => textContent ?? '')
      .join(' ')
      .trim()
    const own = SWATCH + context.measureText(text).width + GAP
    if (x > 0 && x + own > width) [x, line] = [0, line + 1]
    const swatch = item.querySelector('span')
    items.push({ x, line, text, swatch: swatch ? getComputedStyle(swatch).color : '' })
    x += own
  }
  return { items, lines: line + 1 }
}

/** Saves a file as a download of the browser. */
export function saveAs(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has begun once the click is handled.
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
