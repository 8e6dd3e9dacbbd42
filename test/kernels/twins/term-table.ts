/** Twin of `as/term-table.ts`: terms get numbers in the order of their first appearance. */

import { joinBytes } from './bits.js';
import { lowerCase } from './hash.js';

export const RECORD_KIND = { none: 0, blank: 1, anonymous: 8 } as const;

/** What a token record says. An anonymous node has a number in place of its lexical bytes. */
export interface TwinRecord {
  readonly kind: number;
  readonly qualifier: Uint8Array;
  readonly lexical: Uint8Array | number;
}

export interface TwinTerm {
  readonly kind: number;
  readonly qualifier: Uint8Array;
  readonly lexical: Uint8Array;
}

/**
 * The term of a record, null for the default graph. Labels of blank nodes are put behind the scope
 * of their document unless they are kept verbatim; anonymous nodes always have a scope.
 */
export function termOfRecord(record: TwinRecord, scope: string | null, anonymousScope: string): TwinTerm | null {
  const { kind, qualifier, lexical } = record;
  if (kind === RECORD_KIND.none) return null;
  const blank = (prefix: string, label: Uint8Array) => ({
    kind: RECORD_KIND.blank,
    qualifier: new Uint8Array(0),
    lexical: joinBytes([Buffer.from(prefix), label]),
  });
  if (typeof lexical === 'number') return blank(anonymousScope, Buffer.from(`a${lexical}`));
  if (kind === RECORD_KIND.blank && scope !== null) return blank(`${scope}-`, lexical);
  return { kind, qualifier, lexical };
}

/** The bytes that the dictionary keeps of a term. */
export function storedBytes({ kind, qualifier, lexical }: TwinTerm): Uint8Array {
  if (qualifier.length === 0) return joinBytes([Uint8Array.of(kind), lexical]);
  return joinBytes([Uint8Array.of(kind), qualifier, Uint8Array.of(0), lexical]);
}

/** A text that terms share when they are the same: languages do not differ by case. */
function nameOf(term: TwinTerm): string {
  const folded = term.kind === 4 || term.kind === 5 ? { ...term, qualifier: lowerCase(term.qualifier) } : term;
  return Buffer.from(storedBytes(folded)).toString('latin1');
}

export interface NumberedTerms {
  /** Per term: its number; the default graph's in place of null. */
  readonly numbers: readonly number[];
  /** The distinct terms by number. */
  readonly distinct: readonly TwinTerm[];
}

export function numberTerms(terms: readonly (TwinTerm | null)[], defaultGraph: number): NumberedTerms {
  const known = new Map<string, number>();
  const distinct: TwinTerm[] = [];
  const numbers = terms.map((term) => {
    if (term === null) return defaultGraph;
    const name = nameOf(term);
    const number = known.get(name) ?? distinct.push(term) - 1;
    known.set(name, number);
    return number;
  });
  return { numbers, distinct };
}
