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
      const counts = createSeries(() => ({ count: 0 }))
      add(name, help, {
        type: 'counter',
        lines: () => counts.all().map(({ labels, value }) => `${name}${written(labels)} ${value.count}`),
      })
      return {
        add(labels = NO_LABELS, amount = 1) {
          counts.at(labels).count += amount
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

const NO_LABELS: Labels = {}

/** What is counted under some labels. */
type Series<Value> = { readonly labels: Labels; readonly value: Value }

/** One value for each set of labels. Counting happens at every request and reading once a minute: only that writes text. */
function createSeries<Value>(make: () => Value): { at(labels: Labels): Value; all(): readonly Series<Value>[] } {
  const known = new Map<string, Series<Value>>()
  return {
    at(labels) {
      let key = ''
      for (const name in labels) key += `${name}\0${labels[name]}\0`
      const own = known.get(key)
      if (own) return own.value
      const value = make()
      known.set(key, { labels: { ...labels }, value })
      return value
    },
    all: () => [...known.values()],
  }
}

type Spread = { readonly counts: number[]; sum: number; count: number }

function createHistogram(name: string, bounds: readonly number[]) {
  const series = createSeries((): Spread => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }))
  const observe: Histogram['observe'] = (value, labels = NO_LABELS) => {
    const own = series.at(labels)
    own.sum += value
    own.count += 1
    const bucket = bounds.findIndex((bound) => value <= bound)
    if (bucket >= 0) own.counts[bucket] = (own.counts[bucket] ?? 0) + 1
  }
  const linesOf = ({ labels, value: { counts, sum, count } }: Series<Spread>): readonly string[] => {
    let below = 0
    const buckets = bounds.map((bound, index) => {
      below += counts[index] ?? 0
      return `${name}_bucket${written({ ...labels, le: String(bound) })} ${below}`
    })
    const all = `${name}_bucket${written({ ...labels, le: '+Inf' })} ${count}`
    return [...buckets, all, `${name}_sum${written(labels)} ${sum}`, `${name}_count${written(labels)} ${count}`]
  }
  return { observe, lines: () => series.all().flatMap(linesOf) }
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

/** `{path="/validate"}`, or nothing where there are no labels. */
function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
