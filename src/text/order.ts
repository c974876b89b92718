/** The order of strings in reports. */

/** Compares by UTF-16 code units: the same order on every machine and in every locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
