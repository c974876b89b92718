/** Random objects, and the ways to write them down. */
import fc from 'fast-check'
import { dump } from 'js-yaml'

/** Strings that some reader takes for other values, and any others. */
export const word = fc.oneof(
  fc.constantFrom('rate', '10r/s', '$binary_remote_addr', 'yes', 'y', 'null', '0x10', '0o17', '1e3', '1_0', '.5', ''),
  fc.constantFrom(' a', 'a: b', 'a #b', '- a', "it's", '"', '{}', '[a', 'é', '😀', '12:30', '<<', '__proto__', 'a/b~c'),
  fc.string({ maxLength: 8 }),
)

const leaf = fc.oneof(word, fc.constantFrom('two\nlines\n', 'x\n\n  y'), fc.integer(), fc.boolean(), fc.constant(null))

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 4 }),
  ),
}))

/** Any JSON object. */
const object = fc.dictionary(word, value, { maxKeys: 5 })

/** Such an object in block style, as YAML. */
export const blockYaml = fc
  .record({ from: object, indent: fc.integer({ min: 1, max: 4 }), seqNoIndent: fc.boolean() })
  .map(({ from, ...options }) => dump(from, { ...options, lineWidth: -1, noRefs: true }))

/** Such an object in braces, as YAML. */
export const flowYaml = object.map((from) => dump(from, { flowLevel: 0, noRefs: true }))

/** Such an object, and the same as JSON, on one line or on many. */
export const written = fc
  .record({ from: object, indent: fc.constantFrom('', '  ', '\t') })
  .map(({ from, indent }) => ({ from, text: JSON.stringify(from, null, indent) }))

/** Such an object as JSON. */
export const json = written.map(({ text }) => text)

/** Objects in which one value has several places: written as YAML, anchors and aliases. */
const sharing = fc
  .record({ from: object, shared: value, names: fc.uniqueArray(word, { minLength: 2, maxLength: 3 }) })
  .map(({ from, shared, names }) => ({ ...from, ...Object.fromEntries(names.map((name) => [name, shared])) }))

/** Such an object as YAML, in block style and in braces. */
export const anchoredYaml = fc
  .record({ from: sharing, flowLevel: fc.constantFrom(-1, 0, 2) })
  .map(({ from, flowLevel }) => dump(from, { flowLevel, lineWidth: -1 }))

/** Adds comments after and between lines wherever `isSame` confirms that the values stay the same. */
export const withComments = (text: string, isSame: (text: string) => boolean, seed: readonly number[]): string =>
  seed.reduce((commented, at, index) => {
    const lines = commented.split('\n')
    const line = at % lines.length
    const indent = /^ */.exec(lines[line] ?? '')?.[0] ?? ''
    const changed =
      at % 2 === 0
        ? lines.with(line, `${lines[line]} # after ${index}`)
        : lines.toSpliced(line, 0, `${indent}# above ${index}`)
    return isSame(changed.join('\n')) ? changed.join('\n') : commented
  }, text)
