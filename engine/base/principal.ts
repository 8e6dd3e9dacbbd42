/** Who asks for something to be read or written. Plain data: it crosses threads as it is. */

import type { Authenticated } from './control.js';

/** Graphs by what their IRIs begin with. */
export interface GraphPattern {
  readonly prefix: string;
  /** IRIs of graphs that are not meant, or what theirs begin with, followed by `*`. */
  readonly except: readonly string[];
}

export interface Principal {
  /** What a token proved; null: there was none, or the caller uses the library. */
  readonly authenticated: Authenticated | null;
  /** IRIs of the graphs that the principal may read, ROOT's among them if it may read ROOT; null = every graph. */
  readonly readable: readonly string[] | null;
  /** Graphs that it may read besides; absent or empty: none. Means nothing to who may read every graph. */
  readonly patterns?: readonly GraphPattern[] | undefined;
  /** Principals on whose behalf it is written, the outermost first; absent or empty: nobody was named. */
  readonly chain?: readonly string[] | undefined;
}

/** Nobody in particular, who may read every graph. */
export const ANYONE: Principal = { authenticated: null, readable: null };

/** Names that the service gives to graphs, among them those of copies of others: no pattern means them. */
const GIVEN = 'urn:svc:';
/** Behind the IRI of a graph: the graph of what follows from it. */
const COMPANION = /#inferred$/;

/** Whether a pattern means a graph; what follows from a graph goes with it. */
export function meansGraph({ prefix, except }: GraphPattern, iri: string): boolean {
  if (iri.startsWith(GIVEN) || !iri.startsWith(prefix)) return false;
  const asserted = iri.replace(COMPANION, '');
  return !except.some((one) =>
    one.endsWith('*')
      ? asserted.startsWith(one.slice(0, -1)) || iri.startsWith(one.slice(0, -1))
      : asserted === one || iri === one,
  );
}

/** Whether a graph of that name may be read, whether there is one or not. */
export function mayRead({ readable, patterns = [] }: Principal, iri: string): boolean {
  return readable === null || readable.includes(iri) || patterns.some((pattern) => meansGraph(pattern, iri));
}
