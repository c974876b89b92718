/** Properties: what holds for any values, as `holds(fc.nat(), fc.string(), (number, text) => void expect(…))`. */
import fc from 'fast-check'
import { runs } from '../runs.ts'

/** Arbitrary values, and behind them what throws, or is false, where they do not have the property. */
type Property<Values extends [unknown, ...unknown[]], Result = void> = [
  ...arbitraries: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  hasProperty: (...values: Values) => Result,
]

/** Tries a hundred values. */
export const holds = <Values extends [unknown, ...unknown[]]>(...property: Property<Values>): void =>
  fc.assert(fc.property<Values>(...property))

/** Tries so many at night, and a share of them by day. */
export const holdsFor =
  (many: number) =>
  <Values extends [unknown, ...unknown[]]>(...property: Property<Values>): void =>
    fc.assert(fc.property<Values>(...property), runs(many))

/** The same where the property is known later. */
export const holdsLaterFor =
  (many: number) =>
  <Values extends [unknown, ...unknown[]]>(...property: Property<Values, Promise<void>>): Promise<void> =>
    fc.assert(fc.asyncProperty<Values>(...property), runs(many))
