import { expect, it } from 'vitest'
import { collect, judged } from './collect.ts'
import { createFolder, policy } from './folder.ts'

const template = policy({ name: '{{ .Release.Name }}', namespace: '{{ .Release.Namespace }}' })
const chart = {
  'charts/shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'charts/shop/values.yaml': 'kind: Gateway\nx: {{ broken\n',
  'charts/shop/values-prod.yaml': 'kind: Gateway\n',
  'charts/shop/templates/policy.yaml': template,
  'charts/shop/templates/deep/policy.yaml': template,
  'charts/shop/crds/route.yaml': 'kind: HTTPRoute\n',
}

it('passes over the templates and values of a chart, and remembers the chart', async () => {
  const folder = createFolder({ ...chart, 'templates/a.yaml': policy() })
  expect(await judged(folder)).toEqual(['charts/shop/crds/route.yaml', 'templates/a.yaml'])
  expect(await collect(folder)).toMatchObject({ charts: ['charts/shop'], problems: [] })
})

it.each([
  ['a template', 'charts/shop/templates/deep/policy.yaml'],
  ['the templates', 'charts/shop/templates'],
  ['a folder of templates', 'charts/shop/templates/deep'],
  ['a glob', 'charts/*/templates/*.yaml'],
])('passes over %s that is named', async (_, path) => {
  const { sources, charts, problems } = await collect(createFolder({ '.git/': '', ...chart }), [path])
  expect({ sources, charts, problems }).toEqual({ sources: [], charts: ['charts/shop'], problems: [] })
})

it('passes over values that are named', async () => {
  expect(await judged(createFolder(chart), ['charts/shop/values.yaml'])).toEqual([])
})

it('names the outermost of charts within charts', async () => {
  const folder = createFolder({
    ...chart,
    'charts/shop/charts/tea/Chart.yaml': 'name: tea\n',
    'charts/shop/charts/tea/templates/policy.yaml': template,
    'charts/shop/charts/milk-1.0.0.tgz': 'kind: RateLimitPolicy',
  })
  expect((await collect(folder)).charts).toEqual(['charts/shop'])
})

it('reports no charts whose templates name no judged kind', async () => {
  const folder = createFolder({ 'Chart.yaml': '', 'templates/a.yaml': 'kind: Deployment {{ x }}\n' })
  expect(await collect(folder)).toMatchObject({ charts: [], sources: [] })
})

it('takes the current folder for a chart, too', async () => {
  const folder = createFolder({ 'Chart.yaml': '', 'templates/a.yaml': template })
  expect((await collect(folder)).charts).toEqual(['.'])
})
