/** Made by the build of the OpenAPI document. */

/** An error of ajv. */
export type SchemaError = {
  readonly instancePath: string
  readonly keyword: string
  readonly message?: string
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * The errors of a value, or an empty list. `name` is the id of an operation for its parameters (`{ query, header }`), or the
 * name of the schema of a body. Throws for another name.
 */
export declare function errorsOf(name: string, value: unknown): readonly SchemaError[]
