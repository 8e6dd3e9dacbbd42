/** Microseconds since 1970 as halves of a signed 64-bit number: they exceed the whole numbers that a double holds. */

/** 2^22 milliseconds are less than 2^32 microseconds. */
const STEP = 2 ** 22;
const TWO_32 = 2 ** 32;

export function writeMicros(column: Uint32Array, row: number, milliseconds: number): void {
  const upper = Math.floor(milliseconds / STEP) * 1000;
  const lower = (milliseconds - Math.floor(milliseconds / STEP) * STEP) * 1000;
  const high = Math.floor(upper / 1024);
  const low = (upper - high * 1024) * STEP + lower;
  const carry = low >= TWO_32 ? 1 : 0;
  column[2 * row] = low - carry * TWO_32;
  column[2 * row + 1] = high + carry;
}

/** A dateTime's whole seconds and the digits of its fraction; what is finer is cut off. */
export function writePreciseMicros(column: Uint32Array, row: number, seconds: number, fraction: string): void {
  const micros = BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6) || '0');
  column[2 * row] = Number(micros & 0xffffffffn);
  column[2 * row + 1] = Number((micros >> 32n) & 0xffffffffn);
}
