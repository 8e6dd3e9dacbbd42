/** Vectors as plain lists: what a store that keeps vectors must answer, found in the slowest way. Texts are labels. */

import { RDFS, terms } from '../../../engine/rdf/terms.js';
import type { TermId, TxId } from '../../../engine/storage/ids/layout.js';
import { hashOfText } from '../../../engine/storage/indexes/vectors/entity-text.js';
import type { VectorBackend } from '../../../engine/storage/indexes/vectors/vector-reader.js';
import { VECTORS } from '../../../engine/storage/indexes/vectors/vectors.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { columnOf } from '../../../engine/storage/seam/rows.js';
import type { StorageSnapshot } from '../../../engine/storage/seam/scan.js';
import { node, quad } from '../scan-support.js';

const LABEL = terms.namedNode(`${RDFS}label`);
export const labelled = (name: string, text: string) => quad(node(name), LABEL, terms.literal(text));
export const linked = (name: string, to: string) => quad(node(name), node('on'), node(to));

interface OracleRow {
  readonly name: string;
  readonly text: string;
  readonly tx: TxId;
  readonly validFrom: number;
  readonly vector: Float32Array;
  end: { readonly tx: TxId; readonly validTo: number } | null;
}

export interface Asked {
  readonly query: Float32Array;
  readonly limit: number;
  readonly validAt?: number | undefined;
  readonly asOf?: number | undefined;
  readonly among?: ReadonlySet<string> | undefined;
}

/** Name, score, validity. */
export type Answer = readonly (readonly [name: string, score: number, from: number, to: number | null])[];

export function cosine(vector: Float32Array, query: Float32Array): number {
  let [product, squares, length] = [0, 0, 0];
  for (const [at, number] of vector.entries()) {
    product += number * (query[at] as number);
    squares += number * number;
    length += (query[at] as number) ** 2;
  }
  return squares === 0 || length === 0 ? 0 : product / (Math.sqrt(squares) * Math.sqrt(length));
}

export class VectorOracle {
  readonly rows: OracleRow[] = [];
  /** What each entity is called now, and since when. */
  readonly labels = new Map<string, { readonly text: string; readonly tx: TxId; readonly timestamp: number }>();

  /** A transaction made these labels; null = none any more. */
  changed(labels: ReadonlyMap<string, string | null>, tx: TxId, timestamp: number): void {
    for (const [name, text] of labels) {
      if (this.labels.get(name)?.text === text) continue;
      if (text === null) this.labels.delete(name);
      else this.labels.set(name, { text, tx, timestamp });
      const current = this.current(name);
      if (current !== undefined) current.end = { tx, validTo: timestamp };
    }
  }

  put(name: string, text: string, vector: Float32Array): 'put' | 'stale' | 'present' {
    const label = this.labels.get(name);
    if (label?.text !== text) return 'stale';
    if (this.current(name) !== undefined) return 'present';
    this.rows.push({ name, text, tx: label.tx, validFrom: label.timestamp, vector, end: null });
    return 'put';
  }

  current(name: string): OracleRow | undefined {
    return this.rows.find((row) => row.name === name && row.end === null);
  }

  nearest({ query, limit, validAt, asOf = Number.POSITIVE_INFINITY, among }: Asked): Answer {
    const isPast = validAt !== undefined || asOf !== Number.POSITIVE_INFINITY;
    const endOf = (row: OracleRow) => (row.end !== null && row.end.tx <= asOf ? row.end : null);
    const seen = this.rows.filter((row) => {
      if (among !== undefined && !among.has(row.name)) return false;
      if (!isPast) return row.end === null;
      const end = endOf(row);
      if (row.tx > asOf) return false;
      if (validAt === undefined) return end === null;
      return row.validFrom <= validAt && (end === null || validAt < end.validTo);
    });
    const answers = seen.map((row) => {
      const to = isPast ? (endOf(row)?.validTo ?? null) : null;
      return [row.name, cosine(row.vector, query), row.validFrom, to] as const;
    });
    answers.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    const names = new Set<string>();
    return answers.filter(([name]) => names.size < names.add(name).size).slice(0, limit);
  }
}

const nameOf = (iri: string): string => iri.replace(/^.*\//, '');

export async function answerOf(
  snapshot: StorageSnapshot,
  { query, limit, validAt, asOf, among }: Asked,
  backend: VectorBackend,
): Promise<Answer> {
  const ids = among === undefined ? undefined : [...among].flatMap((name) => snapshot.encode(node(name)) ?? []);
  const candidates = ids === undefined ? undefined : columnOf(ids);
  const reader = VECTORS.at(snapshot.indexView());
  const found = await reader.nearest({ query, limit, validAt, asOf, candidates, backend }, {});
  const names = snapshot.decode(columnOf(found.map(({ entity }) => entity)), found.length);
  return found.map(({ score, validFrom, validTo }, at) => [
    nameOf((names[at] as { value: string }).value),
    score,
    validFrom,
    validTo,
  ]);
}

export function newVector(engine: StorageEngine, name: string, text: string, vector: Float32Array) {
  const snapshot = engine.snapshot();
  const entity: TermId = snapshot.encode(node(name)) ?? 0n;
  snapshot.close();
  return { entity, textHash: hashOfText(text), vector };
}
