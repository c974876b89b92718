/** The schema of RateLimitPolicy as the CRD publishes it (`schemas/ratelimitpolicy.crd.yaml`), compiled by `npm run build`. */
import type { Json } from '../../json/member.ts'

/** The keywords of JSON Schema that the schema uses. */
export type SchemaKeyword =
  | 'required'
  | 'additionalProperties'
  | 'type'
  | 'enum'
  | 'pattern'
  | 'minimum'
  | 'maximum'
  | 'minLength'
  | 'maxLength'
  | 'minItems'
  | 'maxItems'

/** The types in the schema. */
export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'boolean'

/** One place where an object does not meet the schema. */
export type SchemaError = {
  /** JSON Pointer of the value. */
  readonly instancePath: string
  /** The keyword that the value does not meet. */
  readonly keyword: SchemaKeyword
  readonly params: {
    /** Of `type`; with `null` beside it where the member is optional. */
    readonly type?: SchemaType | readonly (SchemaType | 'null')[]
    /** Of `required`. */
    readonly missingProperty?: string
    /** Of `additionalProperties`. */
    readonly additionalProperty?: string
    /** Of bounds. */
    readonly limit?: number
  }
  /** The value. */
  readonly data?: Json
}

/** Every error of a policy. Optional members may be null; the CEL rules of the CRD are not checked. */
export declare function errorsOf(policy: unknown): readonly SchemaError[]

/** The fields in the schema, by the pointer of their object; `*` stands for any index. */
export declare const FIELDS: Readonly<Record<string, readonly string[]>>

/** The types of the fields of a limit, in the order of the schema. */
export declare const LIMIT_TYPES: Readonly<Record<string, SchemaType>>
