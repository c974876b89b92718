/** The one explicit, ordered list of rules. A new rule is a file and a line here. */
import type { AnyRule } from '../src/engine/rule.ts'
import duplicateKey from './document/duplicate-key.ts'
import suppression from './document/suppression.ts'
import syntax from './document/syntax.ts'
import unreadable from './document/unreadable.ts'
import apiVersion from './gateway/api-version.ts'
import burstRange from './gateway/burst-range.ts'
import conflict from './gateway/conflict.ts'
import conflictChain from './gateway/conflict-chain.ts'
import delayAndNoDelay from './gateway/delay-and-no-delay.ts'
import delayNotBelowBurst from './gateway/delay-not-below-burst.ts'
import delayRange from './gateway/delay-range.ts'
import delayWithoutBurst from './gateway/delay-without-burst.ts'
import dryRunSpill from './gateway/dry-run-spill.ts'
import duplicateObject from './gateway/duplicate-object.ts'
import duplicateTarget from './gateway/duplicate-target.ts'
import internalAnnotation from './gateway/internal-annotation.ts'
import keyBehindProxy from './gateway/key-behind-proxy.ts'
import keyChangeWithoutZoneResize from './gateway/key-change-without-zone-resize.ts'
import keyClientControlled from './gateway/key-client-controlled.ts'
import keyConstant from './gateway/key-constant.ts'
import keyMayBeEmpty from './gateway/key-may-be-empty.ts'
import keyNameCut from './gateway/key-name-cut.ts'
import keyQuoting from './gateway/key-quoting.ts'
import keySyntax from './gateway/key-syntax.ts'
import keyTooLong from './gateway/key-too-long.ts'
import keyUnique from './gateway/key-unique.ts'
import keyUnknownVariable from './gateway/key-unknown-variable.ts'
import locationShared from './gateway/location-shared.ts'
import logLevel from './gateway/log-level.ts'
import mixedTargetKinds from './gateway/mixed-target-kinds.ts'
import name from './gateway/name.ts'
import noLimits from './gateway/no-limits.ts'
import queueLatency from './gateway/queue-latency.ts'
import rateGranularity from './gateway/rate-granularity.ts'
import rateOverflow from './gateway/rate-overflow.ts'
import rateRounding from './gateway/rate-rounding.ts'
import rateSyntax from './gateway/rate-syntax.ts'
import rateZero from './gateway/rate-zero.ts'
import redirectBypass from './gateway/redirect-bypass.ts'
import rejectCodeEffect from './gateway/reject-code-effect.ts'
import rejectCodeRange from './gateway/reject-code-range.ts'
import routeAboveGateway from './gateway/route-above-gateway.ts'
import routeReplacesGateway from './gateway/route-replaces-gateway.ts'
import schema from './gateway/schema.ts'
import settingsWithoutLimits from './gateway/settings-without-limits.ts'
import sharedBudget from './gateway/shared-budget.ts'
import targetCount from './gateway/target-count.ts'
import targetGroup from './gateway/target-group.ts'
import targetKind from './gateway/target-kind.ts'
import targetNamespace from './gateway/target-namespace.ts'
import targetNotAttached from './gateway/target-not-attached.ts'
import targetNotFound from './gateway/target-not-found.ts'
import unknownField from './gateway/unknown-field.ts'
import zoneMemory from './gateway/zone-memory.ts'
import zoneSizeImplicit from './gateway/zone-size-implicit.ts'
import zoneSizeMinimum from './gateway/zone-size-minimum.ts'
import zoneSizeSyntax from './gateway/zone-size-syntax.ts'
import zoneSizeUnit from './gateway/zone-size-unit.ts'

export const RULES: readonly AnyRule[] = [
  syntax,
  duplicateKey,
  unreadable,
  suppression,
  schema,
  unknownField,
  apiVersion,
  name,
  duplicateObject,
  targetCount,
  targetGroup,
  targetKind,
  mixedTargetKinds,
  duplicateTarget,
  targetNamespace,
  targetNotFound,
  targetNotAttached,
  rejectCodeRange,
  rejectCodeEffect,
  logLevel,
  rateSyntax,
  rateZero,
  rateOverflow,
  rateGranularity,
  rateRounding,
  keySyntax,
  keyQuoting,
  keyUnknownVariable,
  keyTooLong,
  keyNameCut,
  keyMayBeEmpty,
  keyClientControlled,
  keyConstant,
  keyUnique,
  keyBehindProxy,
  zoneSizeSyntax,
  zoneSizeUnit,
  zoneSizeMinimum,
  zoneSizeImplicit,
  zoneMemory,
  burstRange,
  delayRange,
  delayAndNoDelay,
  delayWithoutBurst,
  delayNotBelowBurst,
  queueLatency,
  noLimits,
  settingsWithoutLimits,
  dryRunSpill,
  conflict,
  conflictChain,
  routeReplacesGateway,
  routeAboveGateway,
  sharedBudget,
  locationShared,
  redirectBypass,
  keyChangeWithoutZoneResize,
  internalAnnotation,
]
