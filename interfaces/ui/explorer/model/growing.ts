/** Typed arrays that grow: twice as long when they are full, so that n values are copied O(n) times in all. */

type Numbers = Float32Array | Uint32Array | Int32Array | Uint8Array;

/** `array` itself when it has room for `length` values, else a copy that has. New values are 0. */
export function grown<A extends Numbers>(array: A, length: number): A {
  if (array.length >= length) return array;
  const make = array.constructor;
  const larger: A = Reflect.construct(make, [Math.max(length, array.length * 2)]);
  larger.set(array);
  return larger;
}
