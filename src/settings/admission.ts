/** Settings of the admission webhook. */

/** What the webhook does with what the rules find. */
export type AdmissionSettings = {
  /** `warn` allows everything; warnings and a metric report what would have been denied. */
  readonly enforce: 'deny' | 'warn'
  /** True: also an update that adds no new error is denied where the object already had one. */
  readonly strict: boolean
  /** The effect of errors that depend on other objects, which may only not have arrived yet. */
  readonly crossObject: 'warn' | 'deny'
  /** `resize`: where mutation is on, a changed key gets another zone size instead of a denial. */
  readonly keyChange: 'deny' | 'resize'
  /** What happens to an object on which a rule failed: a fault in sluice. */
  readonly onFault: 'allow' | 'deny'
}

/** The settings of the webhook without a settings file. */
export const DEFAULT_ADMISSION: AdmissionSettings = {
  enforce: 'deny',
  strict: false,
  crossObject: 'warn',
  keyChange: 'deny',
  onFault: 'allow',
}
