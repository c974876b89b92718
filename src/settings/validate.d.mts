/** Made by the build of `schemas/sluice.config.schema.json`. */
import type { SettingsFile, SettingsSchemaError } from './schema.ts'

/** True for settings that meet the schema. */
export declare function validate(settings: unknown): settings is SettingsFile

/** Every error of the settings, or an empty list. */
export declare function errorsOf(settings: unknown): readonly SettingsSchemaError[]
