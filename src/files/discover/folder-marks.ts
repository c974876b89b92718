/** What the names in a folder say. */

import { KUSTOMIZATION_FILES } from '../../kustomize/kustomization.ts'
import { CHART_FILE } from '../helm/charts.ts'
import type { FolderEntry } from './file-tree.ts'

/** True for a file that is read without being named. */
export const mayHaveObjects = (name: string): boolean => /\.(?:ya?ml|json)$/i.test(name) || name === 'Kustomization'

/** What the names in a folder say about the folder. */
export type FolderMarks = Readonly<Record<'repository' | 'patterns' | 'chart' | 'kustomization', boolean>>

/** Reads what the names in a folder say about it. */
export function readMarks(entries: readonly FolderEntry[]): FolderMarks {
  const marks = { repository: false, patterns: false, chart: false, kustomization: false }
  for (const { name } of entries) {
    if (name === '.git') marks.repository = true
    else if (name === '.gitignore') marks.patterns = true
    else if (name === CHART_FILE) marks.chart = true
    else if (KUSTOMIZATION_FILES.includes(name)) marks.kustomization = true
  }
  return marks
}
