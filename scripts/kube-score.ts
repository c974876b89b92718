/** kube-score, for the tests of what an installation consists of. */
import { buildGoProgram, findGoProgram, type GoProgram } from './go-program.ts'

/** The release that is built. */
export const KUBE_SCORE: GoProgram = {
  name: 'kube-score',
  version: '1.20.0',
  path: 'github.com/zegl/kube-score/cmd/kube-score',
  variable: 'SLUICE_KUBE_SCORE',
}

/** The path of kube-score; undefined where it is not installed. */
export const findKubeScore = (): string | undefined => findGoProgram(KUBE_SCORE)

/** Builds kube-score. Returns whether it succeeded. */
export const buildKubeScore = (): boolean => buildGoProgram(KUBE_SCORE)
