/** Twin of `as/round-numbers.ts`, a number at a time. */

import { DECIMAL, DOUBLE, ERROR, INTEGER, NEAREST, OTHER, type PlainNumber, ROUGH } from './number-columns.js';

const none = (kind: number): PlainNumber => ({ kind, scale: 0, value: 0 });
const isLonger = ({ kind }: PlainNumber) => kind === NEAREST || kind === ROUGH;

function floorOf(digits: bigint, unit: bigint): bigint {
  const quotient = digits / unit;
  return digits % unit < 0n ? quotient - 1n : quotient;
}

function wholeOf(value: number, mode: number): number {
  return [Math.round, Math.ceil, Math.floor][mode]?.(value) as number;
}

function roundNear(value: number, mode: number): PlainNumber {
  const doubt = Math.abs(value) * 2 ** -48;
  const whole = wholeOf(value - doubt, mode);
  const isFraction = !Number.isInteger(value) && Math.floor(value - doubt) === Math.floor(value + doubt);
  const isTold = isFraction && Math.abs(value) < 2 ** 48 && whole === wholeOf(value + doubt, mode);
  return isTold ? { kind: DECIMAL, scale: 0, value: whole + 0 } : none(OTHER);
}

/** By mode: 0 round, 1 ceil, 2 floor, 3 the size. */
export function round(number: PlainNumber, mode: number): PlainNumber {
  const { kind, scale, value } = number;
  if (mode === 3) return { kind, scale, value: Math.abs(value) };
  if (kind === DOUBLE) return { kind, scale: 0, value: wholeOf(value, mode) };
  if (isLonger(number)) return roundNear(value, mode);
  if (kind !== DECIMAL) return number;
  const [digits, unit] = [BigInt(value), 10n ** BigInt(scale)];
  const whole = [floorOf(2n * digits + unit, 2n * unit), -floorOf(-digits, unit), floorOf(digits, unit)][mode];
  return { kind, scale: 0, value: Number(whole) };
}

export function castToExact(number: PlainNumber, isWhole: boolean): PlainNumber {
  const { kind, scale, value } = number;
  const cast = isWhole ? INTEGER : DECIMAL;
  if (kind === INTEGER) return { kind: cast, scale: 0, value };
  if (kind === DECIMAL)
    return isWhole ? { kind: cast, scale: 0, value: Number(BigInt(value) / 10n ** BigInt(scale)) } : number;
  if (kind !== DOUBLE) return isWhole && isLonger(number) ? none(OTHER) : number;
  if (!Number.isFinite(value)) return none(ERROR);
  const digits = Math.trunc(value);
  const isExact = Number.isSafeInteger(digits) && (isWhole || digits === value);
  return isExact ? { kind: cast, scale: 0, value: digits + 0 } : none(OTHER);
}
