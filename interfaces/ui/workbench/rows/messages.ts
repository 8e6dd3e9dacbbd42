/** What the page and the worker that reads an answer say to each other. */

import type { Term } from '../../../../clients/typescript/src/index.js';

/** A term whose text may be cut: `length` is that of the whole, in UTF-16 units. */
export interface ShownTerm {
  readonly term: Term;
  readonly length: number;
}

/** Null = unbound. */
export type ShownRow = readonly (ShownTerm | null)[];

/** How lines are read. */
export type LineFormat = 'tsv' | 'ntriples';

export type ToWorker =
  | {
      readonly kind: 'start';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      readonly format: LineFormat;
    }
  | { readonly kind: 'stop' }
  | Asked;

/** Answered by a message with the same `id`. */
export type Asked =
  | {
      readonly kind: 'rows';
      readonly id: number;
      readonly from: number;
      readonly to: number;
      readonly charactersMax: number;
    }
  | {
      readonly kind: 'lines';
      readonly id: number;
      readonly from: number;
      readonly to: number;
      readonly charactersMax: number;
    }
  | { readonly kind: 'numbers'; readonly id: number; readonly rowsMax: number };

export type FromWorker =
  | {
      readonly kind: 'head';
      readonly columns: readonly string[];
      readonly cutByServer: boolean;
      readonly labels: string | null;
    }
  | { readonly kind: 'progress'; readonly rows: number; readonly bytes: number }
  /** `cause`: why there is no more; null = the answer has ended. */
  | { readonly kind: 'end'; readonly rows: number; readonly bytes: number; readonly cause: EndCause | null }
  | { readonly kind: 'refused'; readonly status: number; readonly content: string }
  | { readonly kind: 'rows'; readonly id: number; readonly rows: readonly ShownRow[] }
  | { readonly kind: 'lines'; readonly id: number; readonly lines: readonly string[] }
  | { readonly kind: 'numbers'; readonly id: number; readonly columns: readonly NumberColumn[] }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

export type EndCause =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'full' }
  | { readonly kind: 'broken'; readonly message: string };

/** A column as a chart draws it: numbers, instants as seconds since 1970, or names. */
export interface NumberColumn {
  readonly name: string;
  readonly kind: 'number' | 'time' | 'name';
  /** NaN where there is none. Of names their place in `names`. */
  readonly values: Float64Array;
  readonly names: readonly string[];
}
