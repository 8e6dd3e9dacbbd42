/** What a stored query or set of shapes may be called: its name becomes a part of an IRI. */

/** Half of a pair stands in no IRI. */
const LONE_SURROGATE = /\p{Surrogate}/u;

export function isRowName(name: string): boolean {
  return name !== '' && !LONE_SURROGATE.test(name);
}
