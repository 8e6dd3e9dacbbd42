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

/** A frame as it came: in pieces, which are joined where somebody wants its payload whole. */
export class Frame {
  #payload: Buffer | null = null;

  constructor(
    readonly kind: FrameKind,
    readonly pieces: readonly Uint8Array[],
    /** Of the payload. */
    readonly bytes: number,
  ) {}

  get payload(): Buffer {
    this.#payload ??= Buffer.concat(this.pieces, this.bytes);
    return this.#payload;
  }
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
  #header: Buffer | null = null;

  /** Bytes that wait for the rest of their frame. */
  get waiting(): number {
    return this.#bytes + (this.#header?.length ?? 0);
  }

  /** The frames that are whole by now; throws `service_failed` for what is none. */
  *push(chunk: Uint8Array): Generator<Frame> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      if (this.#header === null) {
        if (this.#bytes < HEADER_BYTES) return;
        this.#header = Buffer.concat(this.#take(HEADER_BYTES));
      }
      const header = this.#header;
      const length = header.readUInt32LE(0);
      if (length > PAYLOAD_BYTES_MAX) throw damaged();
      if (this.#bytes < length) return;
      const pieces = this.#take(length);
      this.#header = null;
      const kind = header[KIND_AT] as number;
      const checksum = pieces.reduce((sum, piece) => crc32(piece, sum), crc32(header.subarray(KIND_AT)));
      if (checksum !== header.readUInt32LE(4) || !KINDS.has(kind)) throw damaged();
      yield new Frame(kind as FrameKind, pieces, length);
    }
  }

  /** The next bytes, which are there. */
  #take(bytes: number): Uint8Array[] {
    const taken: Uint8Array[] = [];
    let [left, whole] = [bytes, 0];
    for (let chunk = this.#chunks[0]; left > 0 && chunk !== undefined; chunk = this.#chunks[whole]) {
      taken.push(chunk.length <= left ? chunk : chunk.subarray(0, left));
      if (chunk.length > left) {
        this.#chunks[whole] = chunk.subarray(left);
        left = 0;
      } else {
        left -= chunk.length;
        whole++;
      }
    }
    this.#chunks.splice(0, whole);
    this.#bytes -= bytes;
    return taken;
  }
}

function damaged(): SvcError {
  return new SvcError('service_failed', 'what the primary sent was changed on its way: a frame has not its checksum');
}
