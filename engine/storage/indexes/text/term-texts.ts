/** The texts of terms by number, as a view of a file has them: those of the dictionary's segments, then those of the delta. */

import { TERM_KIND as KIND } from '../../../kernels/as/term-codes.js';
import type { FileView } from '../secondary-index.js';

/** Of one term: its stored bytes `[from, to)`, its text from `text` on. */
export type TakeText = (number: number, bytes: Buffer, kind: number, from: number, text: number, to: number) => void;

/** Terms that are decoded at once. */
const BATCH = 4096;

export function isLiteralKind(kind: number): boolean {
  return kind >= KIND.string && kind <= KIND.typed;
}

/** Of what has a text: literals and IRIs. */
export function isTextKind(kind: number): boolean {
  return kind === KIND.iri || isLiteralKind(kind);
}

/** Where the text of stored bytes begins. */
export function textStart(bytes: Buffer, from: number): number {
  const kind = bytes[from] as number;
  return kind >= KIND.language && kind <= KIND.typed ? bytes.indexOf(0, from + 1) + 1 : from + 1;
}

/** Terms `[from, to)`, ascending; yields between parts. `take` must not keep the bytes. */
export function* everyText(view: FileView, from: number, to: number, take: TakeText): Generator<void> {
  const folded = Math.min(to, view.manifest.nextTermNumber);
  for (let first = from; first < folded; first += BATCH) {
    const count = Math.min(BATCH, folded - first);
    const numbers = Uint32Array.from({ length: count }, (_, at) => first + at);
    textsOf(view, numbers, take);
    yield;
  }
  const { terms } = view.delta;
  for (let number = Math.max(from, terms.first); number < Math.min(to, terms.next); number++) {
    const bytes = terms.stored(number);
    take(number, bytes, bytes[0] as number, 0, textStart(bytes, 0), bytes.length);
    if (number % BATCH === 0) yield;
  }
}

/** Those of ascending numbers. */
export function textsOf(view: FileView, numbers: Uint32Array, take: TakeText): void {
  const { terms } = view.delta;
  const { nextTermNumber } = view.manifest;
  let folded = 0;
  while (folded < numbers.length && (numbers[folded] as number) < nextTermNumber) folded++;
  view.dictionary.decodeMany(view.manifest, view.transaction, numbers, folded, (at, bytes, from, to) => {
    take(numbers[at] as number, bytes, bytes[from] as number, from, textStart(bytes, from), to);
  });
  for (let at = folded; at < numbers.length; at++) {
    const number = numbers[at] as number;
    const bytes = terms.stored(number);
    take(number, bytes, bytes[0] as number, 0, textStart(bytes, 0), bytes.length);
  }
}
