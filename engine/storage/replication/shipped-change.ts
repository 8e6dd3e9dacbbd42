/**
 * The bytes of a change on its way to a follower.
 *
 * | bytes | meaning                                                          |
 * |-------|------------------------------------------------------------------|
 * | 4     | bytes of the metadata                                             |
 * | 4     | bytes of the events                                               |
 * | 4     | bytes of the changes                                              |
 * | 4     | version, 1                                                        |
 * | 32    | hash of the chain with this transaction (`log/log-chain.ts`)      |
 * |       | metadata: the log record, JSON in UTF-8                           |
 * |       | stored events that come before the end of the transaction: JSON array |
 * |       | changes: as in a log record (`log/changes.ts`)                    |
 */

import { SvcError } from '../../base/errors.js';
import type { LogRecord } from '../log/record.js';
import type { StoredEvent } from '../seam/event-log.js';

export const CHANGE_VERSION = 1;
const HEADER_BYTES = 48;
const HASH_AT = 16;

export interface ShippedChange {
  readonly record: LogRecord;
  readonly events: readonly StoredEvent[];
  readonly hash: string;
  readonly changes: Buffer;
}

export function encodeShipped({ record, events, hash, changes }: ShippedChange): Buffer {
  const meta = Buffer.from(JSON.stringify(record));
  const told = Buffer.from(JSON.stringify(events));
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32LE(meta.length, 0);
  head.writeUInt32LE(told.length, 4);
  head.writeUInt32LE(changes.length, 8);
  head.writeUInt32LE(CHANGE_VERSION, 12);
  head.write(hash, HASH_AT, 'hex');
  return Buffer.concat([head, meta, told, changes]);
}

export function decodeShipped(given: Uint8Array): ShippedChange {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
  if (bytes.length < HEADER_BYTES) throw damaged();
  const version = bytes.readUInt32LE(12);
  if (version !== CHANGE_VERSION) {
    throw new SvcError('unsupported', `changes of version ${version} are sent; this version reads ${CHANGE_VERSION}`);
  }
  const metaEnd = HEADER_BYTES + bytes.readUInt32LE(0);
  const eventsEnd = metaEnd + bytes.readUInt32LE(4);
  if (bytes.length !== eventsEnd + bytes.readUInt32LE(8)) throw damaged();
  try {
    return {
      record: JSON.parse(bytes.toString('utf8', HEADER_BYTES, metaEnd)) as LogRecord,
      events: JSON.parse(bytes.toString('utf8', metaEnd, eventsEnd)) as StoredEvent[],
      hash: bytes.toString('hex', HASH_AT, HEADER_BYTES),
      // Rows are read in words, so they begin where a buffer does.
      changes: Buffer.from(bytes.subarray(eventsEnd)),
    };
  } catch (cause) {
    throw new SvcError('store_corrupt', 'a change that was sent can not be read', { cause });
  }
}

function damaged(): SvcError {
  return new SvcError('store_corrupt', 'a change that was sent has not the length that it says');
}
