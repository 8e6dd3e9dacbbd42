/**
 * Rows as flat columns for the columnar formats. A variable `x` becomes the columns `x` (the text of
 * the term), `x_kind`, `x_datatype`, `x_lang` and, where the terms of the first chunk agree on a
 * type, `x_value`. The answer comes in chunks that are bounded in rows, cells and text, so that a
 * long answer takes no more memory than a short one.
 */

import type { Term } from '../../rdf/terms.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { isUnboundAt } from '../runtime/ids.js';
import { IdNumbers } from '../terms/id-numbers.js';
import { bareText } from './delimited.js';
import type { ResultBatch, SelectResult } from './result.js';
import { commonType, type TypedValue, typedValueOf, type ValueType } from './typed-values.js';

/** The rows that decide on types, and those of a record batch or row group. */
export const CHUNK_ROWS_MAX = 32_768;
/** A chunk is encoded in one go; more cells would hold the thread for too long. */
const CHUNK_CELLS_MAX = 131_072;
const CHUNK_TEXT_MAX = 16 * 1024 * 1024;
/** What is kept of a column from batch to batch. */
const KEPT_TERMS_MAX = 1 << 16;
const KEPT_TEXT_MAX = 4 * 1024 * 1024;

export const TERM_KINDS = ['iri', 'bnode', 'literal', 'triple'] as const;

export type TermKind = (typeof TERM_KINDS)[number];

/** What the columns say of one term. */
export interface FlatTerm {
  /** The IRI, the lexical form, `_:label`, or a triple term as CSV writes it. */
  readonly text: string;
  readonly kind: TermKind;
  /** Null for what is no literal. */
  readonly datatype: string | null;
  /** With the direction of a literal that has one: `ar--rtl`. */
  readonly language: string | null;
  readonly typed: TypedValue | null;
}

/** Terms by column and row; null = unbound. */
export interface FlatChunk {
  readonly rows: number;
  readonly terms: readonly (readonly (FlatTerm | null)[])[];
}

/** The names and the type of the columns of one variable. */
export interface FlatVariable {
  readonly text: string;
  readonly kind: string;
  readonly datatype: string;
  readonly language: string;
  readonly value: string;
  /** Null = there is no column of values. */
  readonly type: ValueType | null;
}

/** The columns of an answer, by what its first chunk holds. */
export function flatVariables(variables: readonly string[], first: FlatChunk): FlatVariable[] {
  const taken = new Set(variables);
  const name = (wanted: string): string => {
    let free = wanted;
    while (taken.has(free)) free += '_';
    taken.add(free);
    return free;
  };
  return variables.map((text, at) => ({
    text,
    kind: name(`${text}_kind`),
    datatype: name(`${text}_datatype`),
    language: name(`${text}_lang`),
    value: name(`${text}_value`),
    type: typeOf(first.terms[at] ?? []),
  }));
}

function typeOf(terms: readonly (FlatTerm | null)[]): ValueType | null {
  const seen = new Set<ValueType | null>();
  for (const term of terms) if (term !== null) seen.add(term.typed?.type ?? null);
  return commonType(seen);
}

/** The answer in chunks; one, perhaps empty, at least. */
export async function* flatChunks(result: SelectResult): AsyncGenerator<FlatChunk, void, undefined> {
  const items = result.variables.map(() => new FlatTerms());
  const rowsMax = Math.max(1, Math.min(CHUNK_ROWS_MAX, Math.floor(CHUNK_CELLS_MAX / Math.max(1, items.length))));
  let chunk = new GrowingChunk(items.length);
  let given = false;
  for await (const batch of result.batches) {
    const columns = items.map((item, at) => item.read(batch, batch.columns[at] as ResultBatch['columns'][number]));
    for (let row = 0; row < batch.rows; row++) {
      chunk.add(columns, row);
      if (chunk.rows < rowsMax && chunk.characters < CHUNK_TEXT_MAX) continue;
      yield chunk;
      given = true;
      chunk = new GrowingChunk(items.length);
    }
  }
  if (chunk.rows > 0 || !given) yield chunk;
}

class GrowingChunk implements FlatChunk {
  readonly terms: (FlatTerm | null)[][];
  rows = 0;
  characters = 0;

  constructor(width: number) {
    this.terms = Array.from({ length: width }, () => []);
  }

  add(columns: readonly (readonly (FlatTerm | null)[])[], row: number): void {
    for (let column = 0; column < columns.length; column++) {
      const term = (columns[column] as readonly (FlatTerm | null)[])[row] as FlatTerm | null;
      (this.terms[column] as (FlatTerm | null)[]).push(term);
      if (term !== null) this.characters += term.text.length;
    }
    this.rows++;
  }
}

/** The terms of one column, each distinct one decoded once and kept from batch to batch until there are many. */
class FlatTerms {
  private known = new IdNumbers();
  /** By entry; the first is none. */
  private terms: (FlatTerm | null)[] = [null];
  private characters = 0;

  read(batch: ResultBatch, ids: IdColumn): readonly (FlatTerm | null)[] {
    if (this.terms.length > KEPT_TERMS_MAX || this.characters > KEPT_TEXT_MAX) {
      this.known = new IdNumbers();
      this.terms = [null];
      this.characters = 0;
    }
    const { known } = this;
    const first = known.count;
    const entries = Array.from({ length: batch.rows }, (_, row) =>
      isUnboundAt(ids, row) ? 0 : known.entryOf(ids[2 * row] as number, ids[2 * row + 1] as number),
    );
    if (known.count > first) {
      for (const term of batch.decode(known.idsFrom(first), known.count - first)) {
        const flat = flatTerm(term as Term);
        this.terms.push(flat);
        this.characters += flat.text.length;
      }
    }
    return entries.map((entry) => this.terms[entry] as FlatTerm | null);
  }
}

function flatTerm(term: Term): FlatTerm {
  const text = bareText(term);
  if (term.termType === 'Literal') {
    const direction = term.direction ? `--${term.direction}` : '';
    const language = term.language === '' ? null : term.language + direction;
    return { text, kind: 'literal', datatype: term.datatype.value, language, typed: typedValueOf(term) };
  }
  return { text, kind: kindOf(term), datatype: null, language: null, typed: null };
}

function kindOf(term: Term): TermKind {
  if (term.termType === 'Quad') return 'triple';
  return term.termType === 'BlankNode' ? 'bnode' : 'iri';
}
