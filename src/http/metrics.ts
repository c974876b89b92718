/** Numbers about a running server, in the text format of Prometheus. */

/** Values of labels by name. */
export type Labels = Readonly<Record<string, string>>

export type Counter = { add(labels?: Labels, amount?: number): void }
export type Histogram = { observe(value: number, labels?: Labels): void }

/** One line of a gauge. */
export type Sample = { readonly labels?: Labels; readonly value: number }

/** Where a server counts, and whoever watches it reads. */
export type Metrics = {
  /** Counts upwards. Its name ends with `_total`. */
  counter(name: string, help: string): Counter
  /** Sorts values into buckets by their upper bounds. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram
  /** A value that is asked for whenever somebody reads. */
  gauge(name: string, help: string, read: () => number | readonly Sample[]): void
  /** Everything as text. */
  text(): string
}

type Family = { readonly head: string; lines(): readonly string[] }

/** Makes an empty registry. Throws where a name is given twice. */
export function createMetrics(): Metrics {
  const families = new Map<string, Family>()
  const add = (name: string, help: string, kind: { readonly type: string; lines(): readonly string[] }) => {
    if (families.has(name)) throw new Error(`there is a metric "${name}" already`)
    families.set(name, { head: `# HELP ${name} ${help}\n# TYPE ${name} ${kind.type}`, lines: kind.lines })
  }
  return {
    counter(name, help) {
      const counts = new Map<string, number>()
      add(name, help, {
        type: 'counter',
        lines: () => [...counts].map(([labels, count]) => `${name}${labels} ${count}`),
      })
      return {
        add(labels = {}, amount = 1) {
          const key = written(labels)
          counts.set(key, (counts.get(key) ?? 0) + amount)
        },
      }
    },
    histogram(name, help, bounds) {
      const { observe, lines } = createHistogram(name, bounds)
      add(name, help, { type: 'histogram', lines })
      return { observe }
    },
    gauge(name, help, read) {
      const samples = () => {
        const value = read()
        return typeof value === 'number' ? [{ value }] : value
      }
      const lines = () => samples().map(({ labels = {}, value }: Sample) => `${name}${written(labels)} ${value}`)
      add(name, help, { type: 'gauge', lines })
    },
    text: () =>
      [...families.values()]
        .flatMap(({ head, lines }) => [head, ...lines()])
        .join('\n')
        .concat('\n'),
  }
}

type Series = { readonly labels: Labels; readonly counts: number[]; sum: number; count: number }

function createHistogram(name: string, bounds: readonly number[]) {
  const series = new Map<string, Series>()
  const observe: Histogram['observe'] = (value, labels = {}) => {
    const key = written(labels)
    const own = series.get(key) ?? { labels, counts: bounds.map(() => 0), sum: 0, count: 0 }
    series.set(key, own)
    own.sum += value
    own.count += 1
    const bucket = bounds.findIndex((bound) => value <= bound)
    if (bucket >= 0) own.counts[bucket] = (own.counts[bucket] ?? 0) + 1
  }
  const linesOf = ({ labels, counts, sum, count }: Series): readonly string[] => {
    let below = 0
    const buckets = bounds.map((bound, index) => {
      below += counts[index] ?? 0
      return `${name}_bucket${written({ ...labels, le: String(bound) })} ${below}`
    })
    const all = `${name}_bucket${written({ ...labels, le: '+Inf' })} ${count}`
    return [...buckets, all, `${name}_sum${written(labels)} ${sum}`, `${name}_count${written(labels)} ${count}`]
  }
  return { observe, lines: () => [...series.values()].flatMap(linesOf) }
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

/** `{path="/validate"}`, or nothing where there are no labels. */
function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
