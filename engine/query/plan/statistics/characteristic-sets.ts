/**
 * Characteristic sets (Neumann and Moerkotte, ICDE 2011): which predicates subjects have together, and how
 * often each. They tell how many rows a star of patterns has, where predicates depend on each other.
 *
 *  1. The subjects of a graph are cut into ranges of ids; of each range the first subjects are read in
 *     the order of subjects, and count for all rows of the range.
 *  2. Subjects with the same predicates make one set.
 *  3. A star (`star-rows.ts`) sums up the sets that have all its predicates.
 *
 * They are found once for a state of the runs, by reading a bounded number of blocks, and serve as
 * estimates only: they may be older than the rows.
 */

import { getOrInsert } from '../../../base/maps.js';
import { payloadOfHalves } from '../../../storage/ids/halves.js';
import { TAG, type TermId } from '../../../storage/ids/layout.js';
import {
  CURRENT,
  type GraphSet,
  type IdColumn,
  type IdRange,
  type StorageSnapshot,
} from '../../../storage/seam/scan.js';
import { lastWhere } from './sampler.js';

/** Graphs with fewer rows are planned well enough without. */
export const CHARACTERISTIC_ROWS_MIN = 4096;
const RANGES_MAX = 64;
const ROWS_PER_RANGE = 8192;
const SAMPLE_ROWS = 768;
const PAYLOAD_END = 1n << 48n;

export interface CharacteristicSet {
  /** Subjects of the graph that are thought to have exactly these predicates. */
  subjects: number;
  /** Rows by the number of the predicate. */
  readonly rows: Map<number, number>;
}

export interface CharacteristicSets {
  readonly sets: readonly CharacteristicSet[];
  /** Subjects that one subject of the sample stands for, on average. */
  readonly unit: number;
}

export function findCharacteristicSets(snapshot: StorageSnapshot, graphs: GraphSet): CharacteristicSets {
  const sampler = new SetSampler(snapshot, graphs);
  for (const tag of [TAG.blank, TAG.iri]) sampler.readKind(tag);
  sampler.close();
  return sampler.result();
}

class SetSampler {
  private readonly sets = new Map<string, CharacteristicSet>();
  private readonly cursor;
  private sampled = 0;
  private subjects = 0;

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly graphs: GraphSet,
  ) {
    this.cursor = snapshot.scan({ graphs, pattern: {}, order: 'SPOG', time: CURRENT, columns: ['s', 'p'] });
  }

  close(): void {
    this.cursor.close();
  }

  result(): CharacteristicSets {
    return { sets: [...this.sets.values()], unit: this.subjects / Math.max(1, this.sampled) };
  }

  /** Subjects of one kind: their numbers lie close together. */
  readKind(tag: number): void {
    const base = BigInt(tag) << 56n;
    const rows = this.rowsIn({ from: base, to: base + PAYLOAD_END });
    if (rows === 0) return;
    const last = lastWhere(0n, PAYLOAD_END, (at) => this.rowsIn({ from: base + at, to: base + PAYLOAD_END }) > 0);
    const first = lastWhere(0n, last + 1n, (at) => this.rowsIn({ from: base, to: base + at }) === 0);
    const count = BigInt(Math.max(1, Math.min(RANGES_MAX, Math.floor(rows / ROWS_PER_RANGE))));
    const span = last + 1n - first;
    for (let at = 0n; at < count; at++) {
      const [from, to] = [base + first + (span * at) / count, base + first + (span * (at + 1n)) / count];
      if (from < to) this.readRange({ from, to });
    }
  }

  private rowsIn(range: IdRange): number {
    const pattern = { s: { kind: 'ranges', ranges: [range] } as const };
    return this.snapshot.estimate({ graphs: this.graphs, pattern, time: CURRENT }).rows;
  }

  private readRange(range: IdRange): void {
    const rows = this.rowsIn(range);
    if (rows === 0) return;
    this.cursor.seek([range.from as TermId]);
    const batch = this.cursor.next();
    if (batch === null) return;
    const [s, p] = [batch.columns.s as IdColumn, batch.columns.p as IdColumn];
    const length = batch.selection?.length ?? batch.rows;
    const end = Number(range.to & (PAYLOAD_END - 1n)) || Number(PAYLOAD_END);
    const rowAt = (at: number): number => (batch.selection === null ? at : (batch.selection[at] as number));
    const subjectAt = (at: number): number =>
      payloadOfHalves(s[2 * rowAt(at)] as number, s[2 * rowAt(at) + 1] as number);
    // The batch before may have reached beyond the range.
    if (subjectAt(0) >= end) return;
    const groups: number[] = [];
    for (let at = 0; at < length; at++) {
      const subject = subjectAt(at);
      if (subject >= end) {
        groups.push(at);
        break;
      }
      if (at > 0 && subject === subjectAt(at - 1)) continue;
      groups.push(at);
      if (at >= SAMPLE_ROWS) break;
    }
    // The last subject may go on in the next batch; of a single one that is all there is.
    if (groups.length === 1) groups.push(length);
    const seen = groups.at(-1) as number;
    for (let group = 0; group + 1 < groups.length; group++) {
      this.count(groups[group] as number, groups[group + 1] as number, rows / seen, (at) =>
        payloadOfHalves(p[2 * rowAt(at)] as number, p[2 * rowAt(at) + 1] as number),
      );
    }
  }

  /** One subject, which stands for `weight` of its kind. */
  private count(from: number, to: number, weight: number, predicateAt: (at: number) => number): void {
    let key = '';
    let last = -1;
    for (let at = from; at < to; at++) {
      const predicate = predicateAt(at);
      if (predicate !== last) key += `${predicate} `;
      last = predicate;
    }
    const set = getOrInsert(this.sets, key, () => ({ subjects: 0, rows: new Map() }));
    set.subjects += weight;
    this.sampled++;
    this.subjects += weight;
    for (let at = from; at < to; at++) {
      const predicate = predicateAt(at);
      set.rows.set(predicate, (set.rows.get(predicate) ?? 0) + weight);
    }
  }
}
