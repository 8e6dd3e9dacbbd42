/** Twin of `as/texts-holding.ts`. */

export function keepHolding(texts: readonly Uint8Array[], places: readonly number[], sought: Uint8Array): number[] {
  return places.filter((place) => Buffer.from(texts[place] as Uint8Array).includes(Buffer.from(sought)));
}
