/** The schema of RateLimitPolicy as the CRD publishes it (`schemas/ratelimitpolicy.crd.yaml`), compiled by `npm run build`. */
import type { Json } from '../../json/member.ts'

/** What the schema asks for, by the words of JSON schema. */
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

/** The types that the schema asks for. */
export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'boolean'

/** One place where an object does not meet the schema. */
export type SchemaError = {
  /** JSON Pointer of the value that was judged. */
  readonly instancePath: string
  /** What was not met. */
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
  /** The value that was judged. */
  readonly data?: Json
}

/** Every error of a policy, or an empty list. Optional members may be null; what only CEL says is not judged. */
export declare function errorsOf(policy: unknown): readonly SchemaError[]

/** The members that the schema knows, by the pointer of the object that has them; `*` stands for any index. */
export declare const FIELDS: Readonly<Record<string, readonly string[]>>
