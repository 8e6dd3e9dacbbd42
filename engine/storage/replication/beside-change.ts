/**
 * The bytes of a change of what lies beside transactions, on its way to a follower.
 *
 * | bytes | meaning                                                    |
 * |-------|------------------------------------------------------------|
 * | 4     | bytes of the JSON                                           |
 * | 4     | version, 1                                                  |
 * |       | JSON: `BesideHead`                                          |
 * |       | rows of vectors, sealed, where there are vectors            |
 * |       | ends of vectors, sealed, where there are vectors            |
 * |       | numbers of the vectors of those rows, f32                   |
 */

import { SvcError } from '../../base/errors.js';
import type { TxId } from '../ids/layout.js';
import {
  decodeEnds,
  encodeEnds,
  encodeRows,
  rowsIn,
  unsealRows,
  type VectorEnd,
  type VectorRow,
} from '../indexes/vectors/vector-records.js';
import type { Note, StoredEvent } from '../seam/event-log.js';

export const BESIDE_VERSION = 1;
const HEADER_BYTES = 8;
const SEAL_BYTES = 4;
const ROW_BYTES = 32;
const END_BYTES = 24;

/** What happened to the vectors. */
export interface VectorsHead {
  /** As the primary counts them. */
  readonly generation: number;
  /** Those that were told so far are forgotten first. */
  readonly anew: boolean;
  readonly model: string | null;
  readonly dimension: number | null;
  /** The number of its first row, and how many there are. */
  readonly from: number;
  readonly rows: number;
  /** How many ends of rows come with them. */
  readonly ends: number;
  /** All of the first so many ends were told by then. */
  readonly endsTold: number;
}

export interface BesideHead {
  /** The newest transaction when it was read: what it names is known by then. */
  readonly tx: TxId;
  readonly epoch: number;
  readonly vectors: VectorsHead | null;
  /** Events without a transaction, and the offset of the last of all. */
  readonly events: readonly StoredEvent[];
  readonly last: number;
  /** Events up to this offset were pruned. */
  readonly floor: number;
  /** Cursors and subscriptions that have changed; `whole`: there are no others. */
  readonly notes: readonly Note[];
  readonly whole: boolean;
}

export interface BesideChange extends BesideHead {
  readonly rows: readonly VectorRow[];
  readonly ends: readonly VectorEnd[];
  readonly values: Float32Array;
}

export function encodeBeside({ rows, ends, values, ...head }: BesideChange): Buffer {
  const json = Buffer.from(JSON.stringify(head));
  const sizes = Buffer.alloc(HEADER_BYTES);
  sizes.writeUInt32LE(json.length, 0);
  sizes.writeUInt32LE(BESIDE_VERSION, 4);
  if (head.vectors === null) return Buffer.concat([sizes, json]);
  const numbers = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return Buffer.concat([sizes, json, encodeRows(rows), encodeEnds(ends), numbers]);
}

export function decodeBeside(given: Uint8Array): BesideChange {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
  if (bytes.length < HEADER_BYTES) throw damaged();
  const version = bytes.readUInt32LE(4);
  if (version !== BESIDE_VERSION) {
    throw new SvcError(
      'unsupported',
      `changes beside transactions of version ${version} are sent; this version reads ${BESIDE_VERSION}`,
    );
  }
  const jsonEnd = HEADER_BYTES + bytes.readUInt32LE(0);
  if (bytes.length < jsonEnd) throw damaged();
  let head: BesideHead;
  try {
    head = JSON.parse(bytes.toString('utf8', HEADER_BYTES, jsonEnd)) as BesideHead;
  } catch (cause) {
    throw new SvcError('store_corrupt', 'a change beside transactions that was sent can not be read', { cause });
  }
  const { vectors } = head;
  if (vectors === null) {
    if (bytes.length !== jsonEnd) throw damaged();
    return { ...head, rows: [], ends: [], values: new Float32Array() };
  }
  const rowsEnd = jsonEnd + SEAL_BYTES + ROW_BYTES * vectors.rows;
  const endsEnd = rowsEnd + SEAL_BYTES + END_BYTES * vectors.ends;
  if (bytes.length !== endsEnd + 4 * (vectors.dimension ?? 0) * vectors.rows) throw damaged();
  const rows = rowsIn(unsealRows(bytes.subarray(jsonEnd, rowsEnd), 0, vectors.rows));
  const ends = decodeEnds(bytes.subarray(rowsEnd, endsEnd), 0, vectors.ends);
  // Numbers are read in words, so they begin where a buffer does.
  const values = new Float32Array(Uint8Array.from(bytes.subarray(endsEnd)).buffer);
  return { ...head, rows, ends, values };
}

function damaged(): SvcError {
  return new SvcError('store_corrupt', 'a change beside transactions that was sent has not the length that it says');
}
