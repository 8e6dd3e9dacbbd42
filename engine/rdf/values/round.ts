/** Correct rounding of exact decimals to xsd:float, which JavaScript has no parser for. */

export const FLOAT_MAX = (2 - 2 ** -23) * 2 ** 127;
/** From here on a number is rounded to infinity, as in the middle between FLOAT_MAX and 2^128. */
const OVERFLOW = (2 - 2 ** -24) * 2 ** 127;

/** The finite float nearest to `unscaled / 10^scale`, ties to even; infinite beyond the range. */
export function roundToFloat(unscaled: bigint, scale: number): number {
  const wide = Number(`${unscaled}e${-scale}`);
  const near = Math.fround(wide);
  if (Math.abs(wide) === OVERFLOW && compareWithDouble(unscaled < 0n ? -unscaled : unscaled, scale, OVERFLOW) < 0) {
    return Math.sign(wide) * FLOAT_MAX;
  }
  if (near === wide || !Number.isFinite(near)) return near;
  // The double may have been rounded onto the middle between two floats: then the digits decide.
  const other = near + 2 * (wide - near);
  if (Math.fround(other) !== other) return near;
  const middle = compareWithDouble(unscaled, scale, wide);
  if (middle === 0) return near;
  return middle < 0 === near < other ? near : other;
}

/** The float nearest to a lexical number such as `1.5e10`. */
export function parseFloat32(lexical: string): number {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(lexical);
  const wide = Number(lexical);
  const near = Math.fround(wide);
  const overflows = !Number.isFinite(near) && Math.abs(wide) !== OVERFLOW;
  if (match === null || near === wide || overflows) return near;
  const other = near + 2 * (wide - near);
  if (Number.isFinite(near) && Math.fround(other) !== other) return near;
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const digits = BigInt(`${whole}${fraction}`);
  return roundToFloat(sign === '-' ? -digits : digits, fraction.length - Number(exponent));
}

/** Sign of `unscaled / 10^scale - double`, exactly. */
function compareWithDouble(unscaled: bigint, scale: number, double: number): number {
  const exact = exactOfDouble(double);
  // unscaled / 10^scale ? mantissa * 2^exponent
  let left = unscaled;
  let right = exact.mantissa;
  if (scale > 0) right *= 10n ** BigInt(scale);
  else left *= 10n ** BigInt(-scale);
  if (exact.exponent > 0) right <<= BigInt(exact.exponent);
  else left <<= BigInt(-exact.exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A finite double as `mantissa * 2^exponent`, exactly. */
export function exactOfDouble(double: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  const size = biased === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa: double < 0 ? -size : size, exponent: (biased === 0 ? 1 : biased) - 1075 };
}
