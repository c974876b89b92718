/**
 * What is used of the Kubernetes client, by the modules that have it: its index loads a hundred more, and the models of
 * every kind of Kubernetes.
 */
export { KubeConfig } from '@kubernetes/client-node/dist/config.js'
export { createConfiguration } from '@kubernetes/client-node/dist/gen/configuration.js'
export { HttpMethod, RequestContext } from '@kubernetes/client-node/dist/gen/http/http.js'
export { Watch } from '@kubernetes/client-node/dist/watch.js'
export { Agent } from 'undici'
