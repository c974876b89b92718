import { describe, expect, it } from 'vitest'
import { splitByTemplate } from '../../src/files/discover/stdin.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const parts = (stream: string) => Object.fromEntries(splitByTemplate(stream, '-').map(({ file, text }) => [file, text]))

describe('a stream of Helm', () => {
  it('is taken apart by template; documents of one template stay together', () => {
    const [first, other, second] = [
      '---\n# Source: shop/templates/a.yaml\na: 1\n',
      '---\n# Source: shop/charts/tea/templates/b.yaml\nb: 1\n',
      '---\r\n# Source: shop/templates/a.yaml\r\na: 2\r\n',
    ]
    expect(parts(first + other + second)).toEqual({
      'shop/templates/a.yaml': first + second,
      'shop/charts/tea/templates/b.yaml': other,
    })
  })

  it('keeps the lines of documents that no template claims', () => {
    const stream = 'x: 1\n---\n# Source: shop/templates/a.yaml\na: 1\n---\n# a comment\ny: 1\n'
    expect(parts(stream)['-']).toBe('x: 1\n\n\n\n---\n# a comment\ny: 1\n')
  })

  it('is one text where there is no such comment, or it stands elsewhere', () => {
    expect(parts('a: 1\n---\nb: 1\n')).toEqual({})
    expect(parts('a: |\n  ---\n  # Source: shop/templates/a.yaml\n')).toEqual({})
    expect(parts('---\na: 1\n# Source: shop/templates/a.yaml\n')).toEqual({})
  })

  each<[string]>('takes no name that is no path within a chart: %j', (file) =>
    expect(parts(`---\n# Source: ${file}\na: 1\n`)).toEqual({}),
  )
})
