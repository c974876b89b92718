/**
 * What is used of the Kubernetes client. The build makes a file of its own of it and leaves out the rest, which is fifty
 * times as large: the models of every kind of Kubernetes, and a class for every group of the API.
 */
export { createConfiguration, HttpMethod, KubeConfig, RequestContext, Watch } from '@kubernetes/client-node'
export { Agent } from 'undici'
