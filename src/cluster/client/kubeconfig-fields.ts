/** Fields of a kubeconfig whose values are of another type than kubectl expects. Source: client-go, clientcmd/api/v1. */
import { isObject, type Json } from '../../json/member.ts'

/** Lists of the file, the object in each of their items, and its fields that are texts. */
const LISTS: Readonly<Record<string, { readonly inner: string; readonly texts: readonly string[] }>> = {
  clusters: {
    inner: 'cluster',
    texts: ['server', 'certificate-authority', 'certificate-authority-data', 'tls-server-name', 'proxy-url'],
  },
  users: {
    inner: 'user',
    texts: [
      ...['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data'],
      ...['token', 'tokenFile', 'token-file', 'username', 'password', 'as'],
    ],
  },
  contexts: { inner: 'context', texts: ['cluster', 'user', 'namespace'] },
}

/** The first field with a value of another type: `clusters[0].cluster.server: expected a string`. A null is no value. */
export function wrongField(kubeconfig: unknown): string | undefined {
  if (kubeconfig === null) return 'the file is empty'
  if (!isObject(kubeconfig)) return 'expected an object'
  for (const [list, { inner, texts }] of Object.entries(LISTS)) {
    const items = kubeconfig[list] ?? []
    if (!Array.isArray(items)) return `${list}: expected a list`
    for (const [index, item] of items.entries()) {
      const wrong = wrongIn(item, inner, texts)
      if (wrong !== undefined) return `${list}[${index}]${wrong}`
    }
  }
  return notText(kubeconfig, 'current-context', '')
}

function wrongIn(item: Json, inner: string, texts: readonly string[]): string | undefined {
  if (!isObject(item)) return ': expected an object'
  const object = item[inner] ?? {}
  if (!isObject(object)) return `.${inner}: expected an object`
  const wrong = texts.map((name) => notText(object, name, `.${inner}.`)).find((one) => one !== undefined)
  return notText(item, 'name', '.') ?? wrong
}

const notText = (object: Readonly<Record<string, unknown>>, name: string, before: string): string | undefined =>
  typeof (object[name] ?? '') === 'string' ? undefined : `${before}${name}: expected a string`
