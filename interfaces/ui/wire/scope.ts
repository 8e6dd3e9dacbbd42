/** What part of the store is looked at: a moment of valid time, what was known after a transaction, a graph. */

export interface Scope {
  /** RFC 3339, or a date; null = now. */
  readonly validAt: string | null;
  /** The store as it was known after this transaction; null = as it is known now. */
  readonly tx: number | null;
  /** IRI of a graph or name of a dataset; null = ROOT. */
  readonly graph: string | null;
}

export const NOW: Scope = { validAt: null, tx: null, graph: null };

export function isPast({ validAt, tx }: Scope): boolean {
  return validAt !== null || tx !== null;
}

/** As requests have it. */
export interface ScopeFields {
  valid_at?: string;
  tx?: number;
  graph?: string;
}

export function scopeFields({ validAt, tx, graph }: Scope): ScopeFields {
  return {
    ...(validAt === null ? {} : { valid_at: validAt }),
    ...(tx === null ? {} : { tx }),
    ...(graph === null ? {} : { graph }),
  };
}

export function sameScope(a: Scope, b: Scope): boolean {
  return a.validAt === b.validAt && a.tx === b.tx && a.graph === b.graph;
}
