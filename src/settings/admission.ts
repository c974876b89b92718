/** Settings of the admission webhook. */

/** What the webhook does with what the rules find. */
export type AdmissionSettings = {
  /** `warn` lets everything through and says in warnings, and in a metric, what would have been refused. */
  readonly enforce: 'deny' | 'warn'
  /** True refuses an update of an object that was bad before, even where it adds no new error. */
  readonly strict: boolean
  /** What an error does that depends on other objects, which may merely not have arrived yet. */
  readonly crossObject: 'warn' | 'deny'
  /** `resize`: where mutation is on, a changed key gets another zone size instead of a refusal. */
  readonly keyChange: 'deny' | 'resize'
  /** What becomes of an object on which a rule failed: a fault of ours. */
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
