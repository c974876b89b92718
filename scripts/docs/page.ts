/** A generated file: its path, relative to the project, and its text. */
export type Page = { readonly path: string; readonly text: string }
