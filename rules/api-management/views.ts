/** The parts of a body that many rules go through. */
import type { LimitView, PolicyView, ProxyView, ThrottleView } from '../../src/api-management/proxy.ts'

/** Every policy. */
export const policiesOf = ({ sets }: ProxyView): readonly PolicyView[] => sets.flatMap(({ policies }) => policies)

/** Every limit. */
export const limitsOf = (proxy: ProxyView): readonly LimitView[] => policiesOf(proxy).flatMap(({ limits }) => limits)

/** Every throttle that is written, each once, also where several limits share it. */
export const throttlesOf = (proxy: ProxyView): readonly ThrottleView[] =>
  policiesOf(proxy).flatMap(({ throttles }) => throttles)
