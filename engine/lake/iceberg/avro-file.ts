/**
 * Avro container files as Iceberg wants them: their header has the schema with the ids of its fields, which `avsc` leaves
 * out of what it writes; so only the records are its work.
 */

import { createHash } from 'node:crypto';
import avsc from 'avsc';

const MAGIC = Buffer.from([0x4f, 0x62, 0x6a, 1]);
const SYNC_BYTES = 16;

export type AvroSchema = avsc.Schema;

const mapType = avsc.Type.forSchema({ type: 'map', values: 'bytes' });
const longType = avsc.Type.forSchema('long');

/** One block of records, uncompressed. */
export function avroFile(
  schema: AvroSchema,
  records: readonly object[],
  metadata: Readonly<Record<string, string>>,
): Buffer {
  const type = avsc.Type.forSchema(schema);
  const entries = { 'avro.schema': JSON.stringify(schema), 'avro.codec': 'null', ...metadata };
  const header = mapType.toBuffer(
    Object.fromEntries(Object.entries(entries).map(([name, text]) => [name, Buffer.from(text)])),
  );
  const body = Buffer.concat(records.map((record) => type.toBuffer(record)));
  const sync = createHash('sha256').update(body).update(header).digest().subarray(0, SYNC_BYTES);
  const parts = [MAGIC, header, sync];
  if (records.length > 0) parts.push(longType.toBuffer(records.length), longType.toBuffer(body.length), body, sync);
  return Buffer.concat(parts);
}
