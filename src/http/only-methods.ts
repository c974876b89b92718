/** What a path answers to every method that it does not have. */
import type { Request, RequestHandler } from 'express'
import { HttpError } from './http-error.ts'

/** Says of every request that its method is not allowed, and which ones are. Mount it behind those that are. */
export const onlyMethods = (
  methods: readonly string[],
  messageOf = ({ method }: Request, list: string) => `${method} is not allowed here; there are ${list}`,
): RequestHandler => {
  const list = [...methods].sort().join(', ')
  return (request) => {
    throw new HttpError(405, messageOf(request, list), { headers: { allow: list } })
  }
}
