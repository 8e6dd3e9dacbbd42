/**
 * A share bundle as one file, as `svc share` and `svc import` write and read it: its files as a plain ustar archive, packed by gzip. The
 * browser packs and unpacks; what the files say is the server's to judge.
 */

const BLOCK = 512;
const SUM_AT = 148;
/** What an archive may hold, as for the command. */
export const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;
const ENTRIES_MAX = 100;

export interface ArchivedFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function packed(files: Iterable<readonly [name: string, text: string]>): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const [name, text] of files) {
    const bytes = new TextEncoder().encode(text);
    parts.push(headerOf(name, bytes.length), bytes, new Uint8Array(paddingOf(bytes.length)));
  }
  parts.push(new Uint8Array(2 * BLOCK));
  return new Response(new Blob(parts).stream().pipeThrough(new CompressionStream('gzip'))).blob();
}

/** Throws for what is no such archive, with what is wrong. */
export async function unpacked(archive: Blob): Promise<ArchivedFile[]> {
  const bytes = await inflated(archive);
  const files: ArchivedFile[] = [];
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return files;
    const { name, length, isFile } = readHeader(header);
    const end = at + BLOCK + length;
    if (end > bytes.length) throw new TypeError(`The archive ends within ${name}: it is not whole.`);
    if (isFile) files.push({ name, bytes: bytes.slice(at + BLOCK, end) });
    if (files.length > ENTRIES_MAX)
      throw new TypeError(`The archive has more than ${ENTRIES_MAX} files: it is no share.`);
    at = end + paddingOf(length);
  }
  return files;
}

async function inflated(archive: Blob): Promise<Uint8Array<ArrayBuffer>> {
  const reader = archive.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new TypeError('The archive can not be unpacked: it is damaged, or no gzip.');
    });
    if (done) break;
    pieces.push(value);
    length += value.length;
    if (length <= UNPACKED_BYTES_MAX) continue;
    void reader.cancel();
    throw new TypeError(`The archive holds more than ${UNPACKED_BYTES_MAX} bytes: import it by the command.`);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

const paddingOf = (length: number): number => (BLOCK - (length % BLOCK)) % BLOCK;

function headerOf(name: string, length: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(BLOCK);
  const put = (text: string, at: number): void => header.set(new TextEncoder().encode(text), at);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  put(name, 0);
  put('0000644\0'.concat('0000000\0', '0000000\0'), 100);
  put(`${octal(length, 11)}\0${octal(0, 11)}\0`, 124);
  put('0', 156);
  put('ustar\x0000', 257);
  put('0000000\0'.concat('0000000\0'), 329);
  put(`${octal(sumOf(header), 6)}\0 `, SUM_AT);
  return header;
}

/** Of its bytes, with spaces where the sum itself stands. */
function sumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= SUM_AT && at < SUM_AT + 8 ? 0x20 : byte), 0);
}

function readHeader(header: Uint8Array): { readonly name: string; readonly length: number; readonly isFile: boolean } {
  const text = (at: number, length: number): string => {
    const bytes = header.subarray(at, at + length);
    const end = bytes.indexOf(0);
    return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
  };
  const number = (at: number, length: number): number => {
    const digits = text(at, length).trim();
    return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
  };
  const [name, length, kind] = [text(0, 100), number(124, 12), text(156, 1)];
  if (text(257, 5) !== 'ustar' || number(SUM_AT, 8) !== sumOf(header)) {
    throw new TypeError('It is no archive of a share: svc share writes one.');
  }
  if (!Number.isSafeInteger(length) || !['', '0', '5'].includes(kind)) {
    throw new TypeError(`The entry ${name.slice(0, 120)} is no plain file: make the archive with --format=ustar.`);
  }
  return { name, length, isFile: kind !== '5' };
}
