/** Helm, for the tests of the chart and of what is piped from it. */
import { buildGoProgram, findGoProgram, type GoProgram } from './go-program.ts'

/** The release that is built. */
export const HELM: GoProgram = {
  name: 'helm',
  version: '3.22.0',
  path: 'helm.sh/helm/v3/cmd/helm',
  variable: 'SLUICE_HELM',
}

/** The path of Helm; undefined where it is not installed. SLUICE_HELM names another one. */
export const findHelm = (): string | undefined => findGoProgram(HELM)

/** Builds Helm. Returns whether it succeeded. */
export const buildHelm = (): boolean => buildGoProgram(HELM)
