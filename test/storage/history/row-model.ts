/**
 * The oracle of random histories: a plain list of rows and the rules of the semantics text, 1.1 to 1.4.
 * It shares no code with the engine. Terms are their texts (`show`).
 */

import type { Quad, Term } from '../../../engine/rdf/terms.js';
import { show } from '../scan-support.js';

export interface ModelQuad {
  readonly s: string;
  readonly p: string;
  readonly o: string;
  readonly g: string;
}

export interface ModelRow extends ModelQuad {
  readonly txFrom: number;
  readonly txTo: number | null;
  readonly validFrom: number;
  readonly validTo: number | null;
}

export type ModelTime =
  | { readonly kind: 'current' }
  | { readonly kind: 'validAt'; readonly validAt: number }
  | { readonly kind: 'asOf'; readonly tx: number }
  | { readonly kind: 'asOfValidAt'; readonly tx: number; readonly validAt: number }
  | { readonly kind: 'all' };

export interface ModelTransaction {
  readonly id: number;
  readonly timestamp: number;
  readonly actor: string | null;
  readonly source: string | null;
  readonly quadsAdded: number;
  readonly quadsRetracted: number;
}

export interface ModelOptions {
  readonly timestamp: number;
  readonly validFrom?: number | undefined;
  readonly actor?: string | undefined;
  readonly source?: string | undefined;
}

export const keyOf = ({ s, p, o, g }: ModelQuad): string => `${s} ${p} ${o} ${g}`;

export function modelQuad(quad: Quad): ModelQuad {
  return { s: show(quad.subject), p: show(quad.predicate), o: show(quad.object), g: show(quad.graph) };
}

/** A row as it was known at a transaction, or null when it was not. */
export function knownAt(row: ModelRow, tx: number): ModelRow | null {
  if (row.txFrom > tx) return null;
  return row.txTo === null || row.txTo <= tx ? row : { ...row, txTo: null, validTo: null };
}

/** The rows that a snapshot at a transaction shows of a time slice, with the ends that it knows. */
export function visibleRows(rows: readonly ModelRow[], newest: number, time: ModelTime): ModelRow[] {
  const tx = time.kind === 'asOf' || time.kind === 'asOfValidAt' ? Math.min(time.tx, newest) : newest;
  const known = rows.map((row) => knownAt(row, tx)).filter((row) => row !== null);
  switch (time.kind) {
    case 'all':
      return known;
    case 'current':
    case 'asOf':
      return known.filter((row) => row.txTo === null);
    default:
      return known.filter(
        ({ validFrom, validTo }) => validFrom <= time.validAt && (validTo === null || time.validAt < validTo),
      );
  }
}

/** Changes of one transaction, netted per quad. */
export class ModelStage {
  readonly tx: number;
  readonly options: ModelOptions;
  readonly #model: RowModel;
  readonly #opened = new Map<string, { readonly quad: ModelQuad; readonly validFrom: number }>();
  readonly #ended = new Map<
    string,
    { readonly quad: ModelQuad; readonly validFrom: number; readonly validTo: number }
  >();
  readonly #closed = new Set<string>();

  constructor(model: RowModel, options: ModelOptions) {
    this.#model = model;
    this.tx = model.lastTx + 1;
    this.options = options;
  }

  get counts(): { asserted: number; retracted: number } {
    return { asserted: this.#opened.size + this.#ended.size, retracted: this.#closed.size };
  }

  /** Rows that it opens and that end by themselves. */
  get ended(): number {
    return this.#ended.size;
  }

  /** Returns how many quads opened. */
  assert(quads: readonly Quad[], validFrom = this.options.validFrom ?? this.options.timestamp): number {
    let opened = 0;
    for (const quad of quads.map(modelQuad)) {
      const key = keyOf(quad);
      if (this.#model.open.has(key)) {
        if (this.#closed.delete(key)) opened++;
      } else if (!this.#opened.has(key)) {
        this.#ended.delete(key);
        this.#opened.set(key, { quad, validFrom });
        opened++;
      }
    }
    return opened;
  }

  /** Returns how many quads have a row with an end from birth now, and had none. */
  assertEnding(quads: readonly Quad[], validFrom: number, validTo: number): number {
    let added = 0;
    for (const quad of quads.map(modelQuad)) {
      const key = keyOf(quad);
      if (this.#opened.has(key) || (this.#model.open.has(key) && !this.#closed.has(key))) continue;
      if (!this.#ended.has(key)) added++;
      this.#ended.set(key, { quad, validFrom, validTo });
    }
    return added;
  }

  retract(quads: readonly Quad[]): number {
    let closed = 0;
    for (const key of quads.map(modelQuad).map(keyOf)) {
      if (this.#opened.delete(key)) closed++;
      else if (this.#model.open.has(key) && !this.#closed.has(key)) {
        this.#closed.add(key);
        closed++;
      }
    }
    return closed;
  }

  /** All rows as the transaction would leave them. */
  rows(): ModelRow[] {
    const ends = { txTo: this.tx, validTo: this.options.timestamp };
    const before = this.#model.rows.map((row) =>
      row.txTo === null && this.#closed.has(keyOf(row)) ? { ...row, ...ends } : row,
    );
    const opened = [...this.#opened.values()].map(({ quad, validFrom }) => ({
      ...quad,
      txFrom: this.tx,
      txTo: null,
      validFrom,
      validTo: null,
    }));
    const ended = [...this.#ended.values()].map(({ quad, validFrom, validTo }) => ({
      ...quad,
      txFrom: this.tx,
      txTo: this.tx,
      validFrom,
      validTo,
    }));
    return [...before, ...opened, ...ended];
  }
}

export class RowModel {
  rows: readonly ModelRow[] = [];
  readonly transactions: ModelTransaction[] = [];
  /** Keys of the quads that are open. */
  readonly open = new Map<string, ModelRow>();
  /** Terms of quads that were ever open, and since which transaction they are known. */
  readonly terms = new Map<string, { readonly term: Term; readonly tx: number }>();

  get lastTx(): number {
    return this.transactions.length;
  }

  stage(options: ModelOptions): ModelStage {
    return new ModelStage(this, options);
  }

  /** `used`: all quads that the stage was given; their terms may be known from now on. */
  commit(stage: ModelStage, used: readonly Quad[]): void {
    const { timestamp, actor, source } = stage.options;
    const { asserted, retracted } = stage.counts;
    this.rows = stage.rows();
    this.transactions.push({
      id: stage.tx,
      timestamp,
      actor: actor ?? null,
      source: source ?? null,
      quadsAdded: asserted,
      quadsRetracted: retracted + stage.ended,
    });
    const added = new Set(this.rows.filter(({ txFrom }) => txFrom === stage.tx).map(keyOf));
    this.open.clear();
    for (const row of this.rows) if (row.txTo === null) this.open.set(keyOf(row), row);
    for (const quad of used) {
      if (!added.has(keyOf(modelQuad(quad)))) continue;
      for (const term of [quad.subject, quad.predicate, quad.object, quad.graph]) {
        const text = show(term);
        if (!this.terms.has(text)) this.terms.set(text, { term, tx: stage.tx });
      }
    }
  }
}
