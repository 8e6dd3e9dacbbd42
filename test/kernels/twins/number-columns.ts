/** Twin of `as/number-columns.ts`, a number at a time; whether digits are exact is seen from big integers. */

export const OTHER = 0;
export const INTEGER = 1;
export const DECIMAL = 2;
export const DOUBLE = 3;
export const ERROR = 4;
export const NEAREST = 5;
export const ROUGH = 6;

export interface PlainNumber {
  readonly kind: number;
  /** Of exact numbers; else 0. */
  readonly scale: number;
  readonly value: number;
}

const SAFE_MAX = 2n ** 53n - 1n;
const SCALE_STEP_MAX = 15;
const none = (kind: number): PlainNumber => ({ kind, scale: 0, value: 0 });
const isNumber = ({ kind }: PlainNumber) => kind === INTEGER || kind === DECIMAL || kind === DOUBLE;
const isSafe = (digits: bigint) => digits <= SAFE_MAX && digits >= -SAFE_MAX;

export function doubleOf({ kind, scale, value }: PlainNumber): number {
  return kind === DECIMAL ? Number(`${value}e-${scale}`) : value;
}

export function cast(number: PlainNumber): PlainNumber {
  if (isNumber(number) || number.kind === NEAREST) return { kind: DOUBLE, scale: 0, value: doubleOf(number) };
  return none(number.kind === ROUGH ? OTHER : number.kind);
}

export function negate(number: PlainNumber): PlainNumber {
  return { ...number, value: number.kind === DOUBLE ? -number.value : 0 - number.value };
}

export function combine(operator: number, a: PlainNumber, b: PlainNumber): PlainNumber {
  if (a.kind === ERROR || b.kind === ERROR) return none(ERROR);
  if (![a, b].every((number) => isNumber(number) || number.kind === NEAREST)) return none(OTHER);
  const x = doubleOf(a);
  const y = doubleOf(b);
  const value = [x + y, x - y, x * y, x / y][operator] as number;
  if (a.kind === DOUBLE || b.kind === DOUBLE) return { kind: DOUBLE, scale: 0, value };
  if (a.kind !== NEAREST && b.kind !== NEAREST) return exactly(operator, a, b);
  const size = Math.abs(value);
  const near = operator >= 2 && !(operator === 3 && y === 0) && size > 1e-6 && size < 1e300;
  return near ? { kind: ROUGH, scale: 0, value } : none(OTHER);
}

function exactly(operator: number, a: PlainNumber, b: PlainNumber): PlainNumber {
  const kind = a.kind === INTEGER && b.kind === INTEGER ? INTEGER : DECIMAL;
  const [x, y] = [BigInt(a.value), BigInt(b.value)];
  if (operator === 3) {
    const ends = y !== 0n && x % y === 0n && a.scale >= b.scale;
    if (ends) return { kind: DECIMAL, scale: a.scale - b.scale, value: Number(x / y) };
    const near = doubleOf(a) / doubleOf(b);
    const isRough = y !== 0n && Math.abs(near) > 1e-6 && Math.abs(near) < 1e300;
    return isRough ? { kind: ROUGH, scale: 0, value: near } : none(OTHER);
  }
  if (operator === 2) {
    const scale = a.scale + b.scale;
    return isSafe(x * y) && scale <= SCALE_STEP_MAX ? { kind, scale, value: Number(x * y) } : none(OTHER);
  }
  const scale = Math.max(a.scale, b.scale);
  const [p, q] = [x * 10n ** BigInt(scale - a.scale), y * 10n ** BigInt(scale - b.scale)];
  const sum = operator === 0 ? p + q : p - q;
  return [p, q, sum].every(isSafe) ? { kind, scale, value: Number(sum) } : none(OTHER);
}

/** Negative, 0, positive; null where it is not told. */
export function order(a: PlainNumber, b: PlainNumber): number | null {
  const kinds = [a.kind, b.kind];
  if (kinds.includes(OTHER)) return null;
  const [x, y] = [doubleOf(a), doubleOf(b)];
  if (kinds.includes(ROUGH) && !(Math.abs(x - y) > (Math.abs(x) + Math.abs(y)) * 2 ** -49)) return null;
  if (kinds.some((kind) => kind >= DOUBLE)) {
    if (x === y && !kinds.includes(DOUBLE)) return null;
    return x < y ? -1 : x > y ? 1 : x === y ? 0 : null;
  }
  const scale = Math.max(a.scale, b.scale);
  const [p, q] = [a, b].map((number) => BigInt(number.value) * 10n ** BigInt(scale - number.scale)) as [bigint, bigint];
  return isSafe(p) && isSafe(q) ? (p < q ? -1 : p > q ? 1 : 0) : null;
}
