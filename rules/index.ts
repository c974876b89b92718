/** The one explicit, ordered list of rules. A new rule is a file and a line here. */
import type { AnyRule } from '../src/engine/rule.ts'
import proxyCodesDiffer from './api-management/codes-differ.ts'
import proxyConsumerWithoutAuthentication from './api-management/consumer-without-authentication.ts'
import proxyCorrelationHeader from './api-management/correlation-header.ts'
import proxyDelayAndNoDelay from './api-management/delay-and-no-delay.ts'
import proxyDelayNotBelowBurst from './api-management/delay-not-below-burst.ts'
import proxyDelayWithoutBurst from './api-management/delay-without-burst.ts'
import proxyDuplicateLimit from './api-management/duplicate-limit.ts'
import proxyGrpcStatusCode from './api-management/grpc-status-code.ts'
import proxyImplicitDefault from './api-management/implicit-default.ts'
import proxyLimits from './api-management/limits.ts'
import proxyPoliciesTwice from './api-management/policies-twice.ts'
import proxyQueueLatency from './api-management/queue-latency.ts'
import proxyRateLimitBy from './api-management/rate-limit-by.ts'
import proxyRateOverflow from './api-management/rate-overflow.ts'
import proxyRateSyntax from './api-management/rate-syntax.ts'
import proxyRateZero from './api-management/rate-zero.ts'
import proxyReturnCode from './api-management/return-code.ts'
import proxyReturnCodeEffect from './api-management/return-code-effect.ts'
import proxySchema from './api-management/schema.ts'
import proxySystemMetadata from './api-management/system-metadata.ts'
import proxyThrottlePlacement from './api-management/throttle-placement.ts'
import proxyThrottleRange from './api-management/throttle-range.ts'
import proxyUnknownField from './api-management/unknown-field.ts'
import proxyZoneMemory from './api-management/zone-memory.ts'
import proxyZoneSizeMinimum from './api-management/zone-size-minimum.ts'
import proxyZoneSizeSyntax from './api-management/zone-size-syntax.ts'
import duplicateKey from './document/duplicate-key.ts'
import kustomization from './document/kustomization.ts'
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
import otherController from './gateway/other-controller.ts'
import queueLatency from './gateway/queue-latency.ts'
import rateGranularity from './gateway/rate-granularity.ts'
import rateOverflow from './gateway/rate-overflow.ts'
import rateRounding from './gateway/rate-rounding.ts'
import rateSyntax from './gateway/rate-syntax.ts'
import rateZero from './gateway/rate-zero.ts'
import redirectBypass from './gateway/redirect-bypass.ts'
import rejectCodeEffect from './gateway/reject-code-effect.ts'
import rejectCodeRange from './gateway/reject-code-range.ts'
import releaseFault from './gateway/release-fault.ts'
import routeAboveGateway from './gateway/route-above-gateway.ts'
import routeReplacesGateway from './gateway/route-replaces-gateway.ts'
import routeWithoutLimit from './gateway/route-without-limit.ts'
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
import meshAnnotationMtls from './mesh/annotation-mtls.ts'
import meshAnnotationPorts from './mesh/annotation-ports.ts'
import meshApiService from './mesh/api-service.ts'
import meshAutoInjectSystem from './mesh/auto-inject-system.ts'
import meshConfig from './mesh/config.ts'
import meshConfigContradiction from './mesh/config-contradiction.ts'
import meshConfigKeyTypes from './mesh/config-key-types.ts'
import meshConfigMeaning from './mesh/config-meaning.ts'
import meshDiscoveryExposed from './mesh/discovery-exposed.ts'
import meshGroupSpelling from './mesh/group-spelling.ts'
import meshNeverInjected from './mesh/never-injected.ts'
import meshNotEnforced from './mesh/not-enforced.ts'
import meshPodSecurity from './mesh/pod-security.ts'
import meshProxyPort from './mesh/proxy-port.ts'
import meshRoleInternal from './mesh/role-internal.ts'
import meshRoleNamespaced from './mesh/role-namespaced.ts'
import meshRoleResource from './mesh/role-resource.ts'
import meshRoleVerb from './mesh/role-verb.ts'
import meshRoleWildcard from './mesh/role-wildcard.ts'
import meshWorkloadPorts from './mesh/workload-ports.ts'

export const RULES: readonly AnyRule[] = [
  syntax,
  duplicateKey,
  unreadable,
  kustomization,
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
  otherController,
  releaseFault,
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
  routeWithoutLimit,
  sharedBudget,
  locationShared,
  redirectBypass,
  keyChangeWithoutZoneResize,
  internalAnnotation,
  proxySchema,
  proxyUnknownField,
  proxyPoliciesTwice,
  proxyReturnCode,
  proxyReturnCodeEffect,
  proxyCodesDiffer,
  proxyGrpcStatusCode,
  proxyImplicitDefault,
  proxyLimits,
  proxyRateSyntax,
  proxyRateZero,
  proxyRateOverflow,
  proxyRateLimitBy,
  proxyZoneSizeSyntax,
  proxyZoneSizeMinimum,
  proxyZoneMemory,
  proxyDuplicateLimit,
  proxyThrottleRange,
  proxyDelayAndNoDelay,
  proxyDelayWithoutBurst,
  proxyDelayNotBelowBurst,
  proxyQueueLatency,
  proxyThrottlePlacement,
  proxySystemMetadata,
  proxyCorrelationHeader,
  proxyConsumerWithoutAuthentication,
  meshGroupSpelling,
  meshRoleVerb,
  meshRoleResource,
  meshRoleNamespaced,
  meshRoleWildcard,
  meshRoleInternal,
  meshDiscoveryExposed,
  meshApiService,
  meshConfig,
  meshConfigContradiction,
  meshConfigMeaning,
  meshConfigKeyTypes,
  meshNotEnforced,
  meshAnnotationPorts,
  meshAnnotationMtls,
  meshWorkloadPorts,
  meshProxyPort,
  meshPodSecurity,
  meshNeverInjected,
  meshAutoInjectSystem,
]
