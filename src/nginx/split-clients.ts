/**
 * Where a text falls in `split_clients`, which cuts the range of a hash into pieces of hundredths of a percent. Source:
 * nginx, ngx_http_split_clients_module.c, ngx_murmurhash.c.
 */

/** Hundredths of a percent of the whole range. */
const BUCKETS = 10_000
const WHOLE = 0xffffffff

/** nginx rounds the end of each piece down: with all pieces before it, by less than this. */
const ROUNDED = BUCKETS

/**
 * The buckets that a text may be in, counted from 0. It is one, or the next as well, where the text lies so near to its end
 * that the number of the pieces before decides; {@link BUCKETS} stands for what is behind the last one.
 */
export function bucketsOf(text: string): readonly number[] {
  const scaled = murmurHash2(text) * BUCKETS
  const bucket = Math.floor(scaled / WHOLE)
  const isNearEnd = (bucket + 1) * WHOLE - scaled <= ROUNDED * BUCKETS
  return isNearEnd ? [bucket, bucket + 1] : [bucket]
}

/** The lines of a `split_clients` block that gives each of some buckets its number, and everything else an empty text. */
export function bucketLines(buckets: readonly number[]): readonly string[] {
  const lines: string[] = []
  let end = 0
  for (const bucket of [...new Set(buckets)].sort((a, b) => a - b)) {
    if (bucket > end && end < BUCKETS) lines.push(`${percent(Math.min(bucket, BUCKETS) - end)} ""`)
    if (bucket < BUCKETS) lines.push(`${percent(1)} ${bucket}`)
    end = Math.max(end, Math.min(bucket + 1, BUCKETS))
  }
  return [...lines, `* ${buckets.includes(BUCKETS) ? BUCKETS : '""'}`]
}

const percent = (hundredths: number): string => `${(hundredths / 100).toFixed(2)}%`

const FACTOR = 0x5bd1e995

/** The hash of a text of ASCII characters, as nginx computes it. */
function murmurHash2(text: string): number {
  const bytes = new TextEncoder().encode(text)
  const at = (index: number) => bytes[index] ?? 0
  let hash = bytes.length
  let index = 0
  for (; bytes.length - index >= 4; index += 4) {
    let word = at(index) | (at(index + 1) << 8) | (at(index + 2) << 16) | (at(index + 3) << 24)
    word = Math.imul(word, FACTOR)
    word = Math.imul(word ^ (word >>> 24), FACTOR)
    hash = Math.imul(hash, FACTOR) ^ word
  }
  if (bytes.length > index) {
    const rest = at(index) | (at(index + 1) << 8) | (at(index + 2) << 16)
    hash = Math.imul(hash ^ rest, FACTOR)
  }
  hash = Math.imul(hash ^ (hash >>> 13), FACTOR)
  return (hash ^ (hash >>> 15)) >>> 0
}
