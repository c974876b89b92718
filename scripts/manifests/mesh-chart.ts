/**
 * `webhook-config/mesh-chart`: the API of the service mesh as a chart. Before it is deleted, a Job makes every sidecar
 * transparent.
 */
import { meshInstallation, meshRemoval } from '../../src/installation/mesh.ts'
import { writeDocuments } from '../../src/yaml/documents.ts'
import type { Page } from '../docs/page.ts'
import { CHART, linesOf, substitute, TEMPLATED } from './chart.ts'
import { commonValues, valuesSchema } from './chart-values.ts'
import { fileOf, MADE } from './parts.ts'

const FOLDER = 'webhook-config/mesh-chart'

/** Every file of the chart. */
export function meshChartPages(): readonly Page[] {
  const objects = [...meshInstallation(TEMPLATED), ...meshRemoval(TEMPLATED)].filter(({ kind }) => kind !== 'Namespace')
  const files = [...new Set(objects.map(fileOf))].sort()
  const about = { name: 'sluice-mesh', description: 'Management API of NGINX Service Mesh (beta)' }
  return [
    ...files.map((file) => ({
      path: `${FOLDER}/templates/${file}`,
      text: MADE + objects.flatMap((object) => (fileOf(object) === file ? [substitute(linesOf(object))] : [])).join(''),
    })),
    { path: `${FOLDER}/Chart.yaml`, text: MADE + writeDocuments([{ ...CHART, ...about }]) },
    { path: `${FOLDER}/values.yaml`, text: `${MADE}${commonValues()}` },
    { path: `${FOLDER}/values.schema.json`, text: `${JSON.stringify(valuesSchema(), null, 2)}\n` },
  ]
}
