/**
 * Answers of a condition, one byte a row. A condition decides the rows whose byte is UNDECIDED and leaves
 * the others as they are; SKIPPED are those that nobody asks about, since another part has decided them.
 */

export const FALSE = 0;
export const TRUE = 1;
export const ERROR = 2;
export const UNDECIDED = 3;
export const SKIPPED = 4;

/** Decides the undecided among the first `rows` bytes. */
export type Decide = (out: Uint8Array, rows: number) => void;
