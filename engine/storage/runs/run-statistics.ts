/**
 * Planner statistics of one run, kept under the number of its SPOG run in the database
 * `statistics`, sealed: u32 version, u32 predicates n, u32 distinct subjects, u32 number of the run, then per predicate
 * its id (u64), rows, distinct subjects, distinct objects and zero (u32 each). `runs/distinct-union.ts` adds up distinct counts.
 */

import { SvcError } from '../../base/errors.js';
import { seal, unseal } from '../lmdb/sealed.js';
import type { PredicateStatistics } from '../seam/scan.js';

const VERSION = 1;
const HEADER_BYTES = 16;
const ENTRY_BYTES = 24;

export interface RunStatistics {
  readonly distinctSubjects: number;
  readonly predicates: readonly PredicateStatistics[];
}

export function encodeRunStatistics(statistics: RunStatistics, run: number): Buffer {
  const out = Buffer.alloc(HEADER_BYTES + ENTRY_BYTES * statistics.predicates.length);
  out.writeUInt32LE(VERSION, 0);
  out.writeUInt32LE(statistics.predicates.length, 4);
  out.writeUInt32LE(statistics.distinctSubjects, 8);
  out.writeUInt32LE(run, 12);
  statistics.predicates.forEach((entry, i) => {
    const at = HEADER_BYTES + ENTRY_BYTES * i;
    out.writeBigUInt64LE(entry.predicate, at);
    out.writeUInt32LE(entry.rows, at + 8);
    out.writeUInt32LE(entry.distinctSubjects, at + 12);
    out.writeUInt32LE(entry.distinctObjects, at + 16);
  });
  return seal(out);
}

export function decodeRunStatistics(value: Buffer | undefined, run: number): RunStatistics {
  const bytes = unseal(value, `the table of statistics of run ${run}`);
  const count = bytes.length < HEADER_BYTES ? -1 : bytes.readUInt32LE(4);
  if (
    count < 0 ||
    bytes.readUInt32LE(12) !== run ||
    bytes.readUInt32LE(0) !== VERSION ||
    bytes.length !== HEADER_BYTES + ENTRY_BYTES * count
  ) {
    throw new SvcError('store_corrupt', `the statistics of run ${run} are damaged`);
  }
  return {
    distinctSubjects: bytes.readUInt32LE(8),
    predicates: Array.from({ length: count }, (_, i) => {
      const at = HEADER_BYTES + ENTRY_BYTES * i;
      return {
        predicate: bytes.readBigUInt64LE(at),
        rows: bytes.readUInt32LE(at + 8),
        distinctSubjects: bytes.readUInt32LE(at + 12),
        distinctObjects: bytes.readUInt32LE(at + 16),
      };
    }),
  };
}
