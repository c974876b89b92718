/** Everything that is fuzzed, in the order in which it is run. */
import type { Target } from './core/target.ts'
import { ADMISSION } from './targets/admission.ts'
import { BASELINES } from './targets/baselines.ts'
import { DOCUMENTS, SUPPRESSIONS } from './targets/documents.ts'
import { KUBECONFIGS } from './targets/kubeconfigs.ts'
import { KUSTOMIZATIONS } from './targets/kustomizations.ts'
import { LOGS } from './targets/logs.ts'
import { OBJECTS } from './targets/objects.ts'
import { SETTINGS_FILES } from './targets/settings.ts'
import { YAML } from './targets/yaml.ts'

export const TARGETS: readonly Target[] = [
  YAML,
  DOCUMENTS,
  OBJECTS,
  SUPPRESSIONS,
  KUSTOMIZATIONS,
  SETTINGS_FILES,
  BASELINES,
  LOGS,
  KUBECONFIGS,
  ADMISSION,
]
