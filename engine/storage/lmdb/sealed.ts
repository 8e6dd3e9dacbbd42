/**
 * Small stored values that everything else hangs on (manifest, counts, directories of the
 * dictionary, statistics) carry a checksum: 4 bytes, 32-bit FNV-1a of the rest, in front.
 */

import { SvcError } from '../../base/errors.js';

const SEAL_BYTES = 4;

function fnv1a(bytes: Uint8Array): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) h = Math.imul(h ^ (bytes[i] as number), 0x01000193);
  return h >>> 0;
}

export function seal(bytes: Uint8Array): Buffer {
  const out = Buffer.alloc(SEAL_BYTES + bytes.length);
  out.set(bytes, SEAL_BYTES);
  out.writeUInt32LE(fnv1a(bytes), 0);
  return out;
}

/** The bytes behind the seal; a value that is missing or was changed is damage. `hint`: what to do then. */
export function unseal(value: Uint8Array | undefined, what: string, hint?: string): Buffer {
  const more = hint === undefined ? {} : { hint };
  if (value === undefined) throw new SvcError('store_corrupt', `${what} is missing`, more);
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  if (bytes.length < SEAL_BYTES || fnv1a(bytes.subarray(SEAL_BYTES)) !== bytes.readUInt32LE(0)) {
    throw new SvcError('store_corrupt', `${what} is damaged`, more);
  }
  return bytes.subarray(SEAL_BYTES);
}
