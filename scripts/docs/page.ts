/** A made file: its path below the project and its text. */
export type Page = { readonly path: string; readonly text: string }
