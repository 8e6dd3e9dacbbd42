/**
 * The frames in which a primary sends its log, or a copy of its file, to a follower.
 *
 * | bytes | meaning                                              |
 * |-------|------------------------------------------------------|
 * | 4     | bytes of the payload                                  |
 * | 4     | CRC-32 of the kind and the payload                    |
 * | 1     | kind                                                  |
 * | 3     | zero                                                  |
 * |       | payload                                               |
 */

import { crc32 } from 'node:zlib';
import { SvcError } from '../base/errors.js';

/** Of the protocol: what is asked for in another version is refused by name. */
export const LOG_VERSION = 2;
/** What answers say that they are. */
export const LOG_TYPE = 'application/vnd.svc.log';

export const FRAME = {
  /** JSON: which store it is, and how far (`Hello`). The first frame. */
  hello: 1,
  /** One change, as storage encodes it. */
  change: 2,
  /** JSON: the newest transaction, when nothing else is sent (`Beat`). */
  beat: 3,
  /** The next bytes of a file. */
  bytes: 4,
  /** A change of what lies beside transactions, as storage encodes it. */
  beside: 6,
  /** JSON: why no more comes (`End`). The last frame; a stream that ends without it was cut. */
  end: 5,
} as const;
export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export interface Hello {
  readonly version: number;
  readonly role: 'primary' | 'follower';
  /** Whom a follower follows. */
  readonly primary: string | null;
  readonly lineage: string;
  readonly numbering: string;
  readonly epoch: number;
  readonly fenced_by: number | null;
  readonly tx: number;
  /** Of a copy: how many bytes come. */
  readonly bytes?: number;
}

export interface Beat {
  readonly tx: number;
}

/** `code` is one of the registry of errors; null = all was sent. */
export interface End {
  readonly code: string | null;
  readonly message: string;
}

const HEADER_BYTES = 12;
const KIND_AT = 8;
/** Larger than any change that is sent (`SHIPPED_ROWS_MAX` rows of at most 72 packed bytes, and their terms). */
const PAYLOAD_BYTES_MAX = 1024 * 1024 * 1024;
const KINDS: ReadonlySet<number> = new Set(Object.values(FRAME));

export interface Frame {
  readonly kind: FrameKind;
  readonly payload: Buffer;
}

export function encodeFrame(kind: FrameKind, payload: Uint8Array): Buffer {
  return Buffer.concat([encodeHeader(kind, payload), payload]);
}

/** The header alone, before a payload that is large and goes as it is. */
export function encodeHeader(kind: FrameKind, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(payload.length, 0);
  header[KIND_AT] = kind;
  header.writeUInt32LE(crc32(payload, crc32(header.subarray(KIND_AT))), 4);
  return header;
}

export function encodeJsonFrame(kind: FrameKind, value: Hello | Beat | End): Buffer {
  return encodeFrame(kind, Buffer.from(JSON.stringify(value)));
}

export function jsonOf<Value>({ payload }: Frame): Value {
  return JSON.parse(payload.toString('utf8')) as Value;
}

/** Cuts frames out of bytes as they come. */
export class FrameReader {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** Bytes that wait for the rest of their frame. */
  get waiting(): number {
    return this.#bytes;
  }

  /** The frames that are whole by now; throws `service_failed` for what is none. */
  *push(chunk: Uint8Array): Generator<Frame> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      if (this.#bytes < HEADER_BYTES) return;
      const length = this.#joined(HEADER_BYTES).readUInt32LE(0);
      if (length > PAYLOAD_BYTES_MAX) throw damaged();
      const whole = HEADER_BYTES + length;
      if (this.#bytes < whole) return;
      const joined = this.#joined(whole);
      const frame = joined.subarray(0, whole);
      const rest = joined.subarray(whole);
      this.#chunks[0] = rest;
      this.#bytes -= whole;
      const kind = frame[KIND_AT] as number;
      if (crc32(frame.subarray(KIND_AT)) !== frame.readUInt32LE(4) || !KINDS.has(kind)) throw damaged();
      yield { kind: kind as FrameKind, payload: frame.subarray(HEADER_BYTES) };
    }
  }

  /** The first chunk, joined with those behind it until it has so many bytes. */
  #joined(bytes: number): Buffer {
    const [first] = this.#chunks;
    if (first === undefined || first.length < bytes) this.#chunks = [Buffer.concat(this.#chunks, this.#bytes)];
    const { buffer, byteOffset, length } = this.#chunks[0] as Uint8Array;
    return Buffer.from(buffer, byteOffset, length);
  }
}

function damaged(): SvcError {
  return new SvcError('service_failed', 'what the primary sent was changed on its way: a frame has not its checksum');
}
