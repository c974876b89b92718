/** The Deployment of the server. */
import type { JsonObject } from '../json/member.ts'
import { type Choices, type KubeObject, LABELS, NAMES, PORTS, SELECTOR, within } from './object.ts'

const CONFIG_FOLDER = '/etc/sluice'
const TLS_FOLDER = '/etc/sluice-tls'

/** The user that the image runs as; no user of the node has this number. */
const USER = 65532

/** Readable only by owner and group: mode 0440, in decimal as the API writes it. */
const GROUP_READABLE = 0o440

/** Enough for a cluster with ten thousand policies; the limit protects the node from the unexpected. */
export const RESOURCES = { limits: { memory: '512Mi' }, requests: { cpu: '100m', memory: '256Mi' } } as const

/** The Deployment. Members that the API server would fill in are written. */
export function deployment(choices: Choices): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: within(choices),
    spec: {
      progressDeadlineSeconds: 600,
      replicas: choices.components.has('single-node') ? 1 : 2,
      revisionHistoryLimit: 3,
      selector: { matchLabels: SELECTOR },
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }, type: 'RollingUpdate' },
      template: { metadata: { labels: { ...LABELS, ...SELECTOR } }, spec: pod(choices) },
    },
  }
}

function pod(choices: Choices): JsonObject {
  const isSingle = choices.components.has('single-node')
  return {
    automountServiceAccountToken: true,
    containers: [container(choices)],
    dnsPolicy: 'ClusterFirst',
    enableServiceLinks: false,
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {
      fsGroup: USER,
      runAsGroup: USER,
      runAsNonRoot: true,
      runAsUser: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    serviceAccountName: NAMES.admission,
    terminationGracePeriodSeconds: 30,
    ...(isSingle ? {} : { topologySpreadConstraints: SPREAD }),
    volumes: volumes(choices),
  }
}

/** Replicas on different nodes and zones where possible; a lack of nodes never prevents a start. */
const SPREAD = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
  labelSelector: { matchLabels: SELECTOR },
  matchLabelKeys: ['pod-template-hash'],
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: 'ScheduleAnyway',
}))

function container(choices: Choices): JsonObject {
  const hasFiles = choices.components.has('cert-manager')
  const files = hasFiles ? ['--cert', `${TLS_FOLDER}/tls.crt`, '--key', `${TLS_FOLDER}/tls.key`] : []
  return {
    name: 'admission',
    image: choices.image,
    imagePullPolicy: 'IfNotPresent',
    args: ['serve', 'admission', '--config', `${CONFIG_FOLDER}/${NAMES.configKey}`, ...files],
    ports: [
      { containerPort: PORTS.webhook, name: 'webhook', protocol: 'TCP' },
      { containerPort: PORTS.health, name: 'health', protocol: 'TCP' },
    ],
    livenessProbe: probe('/healthz', 3),
    readinessProbe: probe('/readyz', 2),
    startupProbe: { ...probe('/healthz', 30), periodSeconds: 1 },
    resources: RESOURCES,
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      { mountPath: CONFIG_FOLDER, name: 'config', readOnly: true },
      ...(hasFiles ? [{ mountPath: TLS_FOLDER, name: 'tls', readOnly: true }] : []),
    ],
  }
}

const probe = (path: string, failureThreshold: number) => ({
  failureThreshold,
  httpGet: { path, port: 'health', scheme: 'HTTP' },
  periodSeconds: 10,
  successThreshold: 1,
  timeoutSeconds: 2,
})

/** Whole folders, not single files: those would never see a new version. */
function volumes({ components }: Choices): readonly JsonObject[] {
  const config = { configMap: { defaultMode: GROUP_READABLE, name: NAMES.config }, name: 'config' }
  const tls = { name: 'tls', secret: { defaultMode: GROUP_READABLE, secretName: NAMES.tls } }
  return components.has('cert-manager') ? [config, tls] : [config]
}
