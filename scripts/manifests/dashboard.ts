/** `webhook-config/grafana/sluice.json`: a dashboard for the webhook. */
import type { Page } from '../docs/page.ts'

/** One panel: a question, and the query that answers it. */
type Panel = {
  readonly title: string
  readonly description: string
  readonly query: string
  /** The name of a line; empty where there is only one. */
  readonly legend?: string
  readonly unit?: string
  /** A number instead of lines over time. */
  readonly isNumber?: true
}

const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}[$__rate_interval]))`
const quantile = (share: number): string =>
  `histogram_quantile(${share}, ${rate('sluice_admission_review_duration_seconds_bucket', 'le')})`

const PANELS: readonly Panel[] = [
  {
    title: 'Replicas with all watches synced',
    description:
      'Replicas whose watches are all synced. The others still answer; checks across objects may be missing.',
    query: 'sum(sluice_watches_synced)',
    isNumber: true,
  },
  {
    title: 'Newest settings in use',
    description: '0 if a replica has rejected the newest settings and keeps older ones.',
    query: 'min(sluice_settings_valid)',
    isNumber: true,
  },
  {
    title: 'Serving certificate expires in',
    description: 'Time until the first of the certificates in use expires.',
    query: 'min(sluice_certificate_expiry_timestamp_seconds) - time()',
    unit: 's',
    isNumber: true,
  },
  {
    title: 'Rules that failed',
    description: 'Faults in sluice during the last day. The log has their stacks.',
    query: 'sum(increase(sluice_admission_rule_faults_total[1d]))',
    isNumber: true,
  },
  {
    title: 'Reviews by outcome',
    description: 'allowed, warned, denied, would_deny (enforce: warn), patched.',
    query: rate('sluice_admission_reviews_total', 'outcome'),
    legend: '{{outcome}}',
    unit: 'reqps',
  },
  {
    title: 'Would be denied',
    description: 'Requests that only "enforce: warn" lets pass. If it stays at zero, switch to "enforce: deny".',
    query: 'sum(increase(sluice_admission_would_deny_total[$__rate_interval]))',
  },
  {
    title: 'Duration of a review, 99th percentile',
    description: 'From the complete request body to the response. The API server waits for five seconds.',
    query: quantile(0.99),
    unit: 's',
  },
  {
    title: 'Findings by rule',
    description: 'Findings in reviews, by rule.',
    query: `topk(10, ${rate('sluice_admission_findings_total', 'rule')})`,
    legend: '{{rule}}',
  },
  {
    title: 'Watches that are not synced',
    description:
      'Replicas by kind and state. "missing": the CRD is not installed. Others: no rights, or no API server.',
    query: 'sum by (kind, state) (sluice_watch_state{state!="synced"} == 1)',
    legend: '{{kind}} {{state}}',
  },
  {
    title: 'Requests without a review',
    description:
      'HTTP errors by status code. 4xx: a client other than the API server. 5xx: a bug in sluice, see its log.',
    query: rate('sluice_admission_request_errors_total', 'code'),
    legend: '{{code}}',
    unit: 'reqps',
  },
  {
    title: 'Processor time',
    description: 'Cores that each replica uses.',
    query: 'rate(process_cpu_seconds_total{job=~".*sluice.*"}[$__rate_interval])',
    legend: '{{pod}}',
  },
  {
    title: 'Resident memory',
    description: 'By replica.',
    query: 'process_resident_memory_bytes{job=~".*sluice.*"}',
    legend: '{{pod}}',
    unit: 'bytes',
  },
]

/** Grafana's grid has 24 columns. */
const COLUMNS = 24
const NUMBER = { w: 6, h: 4 }
const LINES = { w: 12, h: 8 }

const DATASOURCE = { type: 'prometheus', uid: '$datasource' }

/** The dashboard as a file. */
export function dashboardPages(): readonly Page[] {
  const numbers = PANELS.filter(({ isNumber }) => isNumber)
  const lines = PANELS.filter(({ isNumber }) => !isNumber)
  const panels = [...placed(numbers, NUMBER, 0), ...placed(lines, LINES, NUMBER.h)]
  const dashboard = {
    title: 'sluice admission',
    uid: 'sluice-admission',
    tags: ['sluice', 'nginx', 'rate-limit'],
    schemaVersion: 39,
    editable: true,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }] },
    panels: panels.map((panel, index) => ({ id: index + 1, ...panel })),
  }
  return [{ path: 'webhook-config/grafana/sluice.json', text: `${JSON.stringify(dashboard, null, 2)}\n` }]
}

function placed(panels: readonly Panel[], { w, h }: typeof NUMBER, top: number) {
  const inRow = COLUMNS / w
  return panels.map(({ title, description, query, legend = '', unit = 'short', isNumber }, index) => ({
    type: isNumber ? 'stat' : 'timeseries',
    title,
    description,
    datasource: DATASOURCE,
    gridPos: { x: (index % inRow) * w, y: top + Math.floor(index / inRow) * h, w, h },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: [{ refId: 'A', datasource: DATASOURCE, expr: query, legendFormat: legend || title }],
  }))
}
