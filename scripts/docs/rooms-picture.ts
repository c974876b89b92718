/**
 * The picture of the import law, `docs/images/rooms.svg`: a square where the room of a row may import the room of a
 * column. A room imports only rooms above it, so all squares are below the diagonal, on which the names stand.
 */
import type { Group, Room } from './rooms.ts'

const CELL = 17
/** Between two groups. */
const GAP = 9
const LEFT = 16
const TOP = 20
/** The names on the diagonal, and at the right the names of the groups. */
const NAMES = 130
const GROUP_NAMES = 170

/** Each group in light and in dark. */
const COLOURS = [
  ['#2f6fb5', '#6ba6e8'],
  ['#8a6d1f', '#d3b04d'],
  ['#2c8552', '#5cc288'],
  ['#a1477f', '#dd86bb'],
  ['#b4552d', '#ee9067'],
  ['#5f5aa8', '#a49ff0'],
] as const

type Place = { readonly room: Room; readonly group: number; readonly at: number }

/** Draws the rooms of all groups. Throws where there are more groups than colours. */
export function roomsPicture(groups: readonly Group[]): string {
  if (groups.length > COLOURS.length) throw new Error('the picture of the rooms has a colour for each of six groups')
  const places = placesOf(groups)
  const end = (places.at(-1)?.at ?? 0) + CELL
  const width = LEFT + end + NAMES + GROUP_NAMES
  const height = TOP + end + 44
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12">`,
    '<title>Which room may import which</title>',
    `<style>${styles()}</style>`,
    `<rect class="page" width="${width}" height="${height}" rx="8"/>`,
    ...groups.flatMap((group, index) => groupBand(group, index, places, width)),
    ...places.flatMap((place) => [...guides(place, end), ...squares(place, places)]),
    ...places.map(nameOf),
    `<text class="note" x="${LEFT}" y="${height - 16}">A square: the room of its row may import the room of its column. The names are on the diagonal.</text>`,
    '</svg>\n',
  ].join('\n')
}

function placesOf(groups: readonly Group[]): readonly Place[] {
  let count = 0
  return groups.flatMap(({ rooms }, group) => rooms.map((room) => ({ room, group, at: count++ * CELL + group * GAP })))
}

const styles = (): string => {
  const themed = (shade: 0 | 1) =>
    COLOURS.map(
      (pair, index) => `.g${index}{fill:${pair[shade]}}.t${index}{fill:${pair[shade]};fill-opacity:.12}`,
    ).join('')
  const light = '.page{fill:#fff}.name{fill:#1f2328}.note{fill:#59636e}.guide{stroke:#c3cad2}'
  const dark = '.page{fill:#0d1117}.name{fill:#e6edf3}.note{fill:#9198a1}.guide{stroke:#3d4650}'
  return `${light}${themed(0)}@media (prefers-color-scheme:dark){${dark}${themed(1)}}`
}

/** The rows of a group as a tinted band, with its name at the right. */
function groupBand({ name, about }: Group, index: number, places: readonly Place[], width: number): readonly string[] {
  const rows = places.filter(({ group }) => group === index)
  const from = rows[0]?.at ?? 0
  const height = (rows.at(-1)?.at ?? 0) + CELL - from
  const right = width - LEFT
  return [
    `<rect class="t${index}" x="${LEFT - 4}" y="${TOP + from - 3}" width="${right - LEFT + 8}" height="${height + 6}" rx="4"/>`,
    `<text class="g${index}" x="${right - 4}" y="${TOP + from + 13}" font-size="13" font-weight="600" text-anchor="end">${name}</text>`,
    `<text class="note" x="${right - 4}" y="${TOP + from + 29}" text-anchor="end">${about}</text>`,
  ]
}

/** Thin lines from a name to the left and down. */
const guides = ({ at }: Place, end: number): readonly string[] => {
  const middle = at + CELL / 2
  return [
    `<path class="guide" d="M${LEFT} ${TOP + middle}H${LEFT + middle}V${TOP + end}" fill="none" stroke-width=".8"/>`,
  ]
}

const squares = ({ room, at }: Place, places: readonly Place[]): readonly string[] =>
  places
    .filter((other) => room.may.includes(other.room.name))
    .map(
      (other) =>
        `<rect class="g${other.group}" x="${LEFT + other.at + 3}" y="${TOP + at + 3}" width="${CELL - 6}" height="${CELL - 6}" rx="2"/>`,
    )

/** The name of a room behind its dot on the diagonal. */
const nameOf = ({ room, group, at }: Place): string => {
  const middle = at + CELL / 2
  return `<circle class="g${group}" cx="${LEFT + middle}" cy="${TOP + middle}" r="7.5"/><text class="name" x="${LEFT + at + CELL + 5}" y="${TOP + at + 13}">${room.name}</text>`
}
