/** Twin of `as/texts-holding.ts`. */

export const CHUNK_NUMBERS = 4096;

export interface Holding {
  /** The place of the first number whose chunk is not there, or how many numbers there are. */
  readonly next: number;
  readonly kept: readonly number[];
  /** Chunks that were looked into. */
  readonly asked: readonly number[];
}

/** `texts`: by chunk, and by place in it. */
export function keepHolding(
  texts: ReadonlyMap<number, readonly Uint8Array[]>,
  numbers: readonly number[],
  from: number,
  sought: Uint8Array,
): Holding {
  const missing = numbers.findIndex((number, at) => at >= from && !texts.has(Math.floor(number / CHUNK_NUMBERS)));
  const next = missing < 0 ? numbers.length : missing;
  const looked = numbers.slice(from, next);
  const textOf = (number: number): Uint8Array =>
    texts.get(Math.floor(number / CHUNK_NUMBERS))?.[number % CHUNK_NUMBERS] as Uint8Array;
  return {
    next,
    kept: looked.filter((number) => Buffer.from(textOf(number)).includes(Buffer.from(sought))),
    asked: [...new Set(looked.map((number) => Math.floor(number / CHUNK_NUMBERS)))],
  };
}
