/**
 * Reads a share archive (semantics text 6.7) that may come from anybody: entries are checked while the stream is unpacked,
 * before their contents are kept, and nothing is written anywhere. Refused are links, devices, absolute paths and `..`,
 * names that stand twice, files that no bundle has, more than `ENTRIES_MAX` entries, and more than `UNPACKED_BYTES_MAX`
 * bytes. One common leading directory is tolerated, as tar makes one of a folder.
 */

import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import {
  EXPORT_FILE,
  MANIFEST_FILE,
  memorySource,
  parseSignature,
  SHAPES_FILE,
  type ShareBundle,
  SIGNATURE_FILE,
  VIEW_FILE,
} from './bundle.js';
import { parseManifest } from './manifest.js';
import { archiveRefusal, BLOCK_BYTES, isZeroBlock, paddingOf, readHeader, type TarEntry } from './tar-header.js';

export const ENTRIES_MAX = 8;
export const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;
/** Headers, padding, and the blocks of zeros that tar writes up to a full record. */
const FRAME_BYTES_MAX = 64 * 1024;

const KNOWN_FILES: ReadonlySet<string> = new Set([MANIFEST_FILE, EXPORT_FILE, SHAPES_FILE, VIEW_FILE, SIGNATURE_FILE]);

export async function readArchive(packed: AsyncIterable<Uint8Array>, control: Control = {}): Promise<ShareBundle> {
  const source = Readable.from(packed, { objectMode: false });
  const unpacked = createGunzip();
  source.on('error', (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  try {
    return bundleOf(await readFiles(new BlockReader(unpacked, control)));
  } catch (error) {
    throw unpackingError(error);
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}

function unpackingError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (typeof code !== 'string' || !code.startsWith('Z_')) return error;
  return new SvcError('invalid_request', `the share archive can't be unpacked: ${(error as Error).message}`, {
    cause: error,
    hint: 'a share archive is gzip; the file is damaged, cut short, or something else',
  });
}

async function readFiles(reader: BlockReader): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  /** The leading directory of the first entry, with its slash; the same of all. */
  let leading: string | null = null;
  let bytes = 0;
  for (let entries = 1; ; entries++) {
    const block = await reader.read(BLOCK_BYTES);
    if (isZeroBlock(block)) break;
    if (entries > ENTRIES_MAX) throw archiveRefusal(`it has more than ${ENTRIES_MAX} entries`);
    const entry = readHeader(block);
    const { directory, file } = placeOf(entry);
    if (leading !== null && directory !== leading)
      throw archiveRefusal(`${shown(entry)} is not in the directory of the others`);
    leading = directory;
    if (file === null) continue;
    if (!KNOWN_FILES.has(file)) throw archiveRefusal(`${shown(entry)} is no file of a share bundle`);
    if (files.has(file)) throw archiveRefusal(`${shown(entry)} stands there twice`);
    bytes += entry.bytes;
    if (bytes > UNPACKED_BYTES_MAX) throw tooLarge();
    files.set(file, await reader.read(entry.bytes));
    await reader.read(paddingOf(entry.bytes));
  }
  await reader.expectZeros();
  return files;
}

function shown({ name }: TarEntry): string {
  return `the entry ${JSON.stringify(name).slice(0, 120)}`;
}

/** Which file it is of, below which directory; null for the directory itself. */
function placeOf(entry: TarEntry): { readonly directory: string; readonly file: string | null } {
  const { name, isDirectory } = entry;
  if (name.startsWith('/') || /^[A-Za-z]:|\\/.test(name)) throw archiveRefusal(`${shown(entry)} has an absolute path`);
  const parts = name.split('/');
  if (parts.includes('..')) throw archiveRefusal(`${shown(entry)} has a path that leads out of the archive`);
  if (isDirectory) {
    const inner = parts.filter((part) => part !== '');
    if (inner.length !== 1) throw archiveRefusal(`${shown(entry)} is a directory within a directory`);
    return { directory: `${inner[0]}/`, file: null };
  }
  if (parts.length > 2 || parts.includes('')) throw archiveRefusal(`${shown(entry)} is deeper than one directory`);
  const file = parts.at(-1) as string;
  return { directory: parts.length === 2 ? `${parts[0]}/` : '', file };
}

function tooLarge(): SvcError {
  return new SvcError('limit_exceeded', `the share archive holds more than ${UNPACKED_BYTES_MAX} bytes unpacked`, {
    hint: 'share such a bundle as a directory',
  });
}

function bundleOf(files: ReadonlyMap<string, Buffer>): ShareBundle {
  const contentOf = (name: string): Buffer => {
    const content = files.get(name);
    if (content === undefined) throw archiveRefusal(`it has no ${name}`);
    return content;
  };
  const manifestText = textOf(contentOf(MANIFEST_FILE), MANIFEST_FILE);
  const signature = files.get(SIGNATURE_FILE);
  return {
    manifest: parseManifest(manifestText),
    manifestText,
    exportNTriples: memorySource(contentOf(EXPORT_FILE)),
    shapesTurtle: textOf(contentOf(SHAPES_FILE), SHAPES_FILE),
    signature: signature === undefined ? null : parseSignature(textOf(signature, SIGNATURE_FILE)),
  };
}

/** UTF-8 to the letter: what is hashed has to be what is read. */
export function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new SvcError('invalid_utf8', `${name} is not UTF-8`, { cause: error });
  }
}

/** Bytes of a stream, as many at a time as are asked for. */
class BlockReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  #read = 0;

  constructor(
    chunks: AsyncIterable<Buffer>,
    private readonly control: Control,
  ) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async read(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = bytes;
    while (missing > 0) {
      if (this.#held.length === 0) {
        const next = await this.#next();
        if (next === null) throw archiveRefusal('it ends in the middle of an entry', 'it was cut short');
        this.#held = next;
      }
      const part = this.#held.subarray(0, missing);
      this.#held = this.#held.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, bytes);
  }

  /** Behind the last entry there is nothing else. */
  async expectZeros(): Promise<void> {
    for (let rest: Buffer | null = this.#held; rest !== null; rest = await this.#next()) {
      if (!isZeroBlock(rest)) throw archiveRefusal('something stands behind the last entry');
    }
  }

  async #next(): Promise<Buffer | null> {
    throwIfStopped(this.control, 'reading the share archive');
    const { done, value } = await this.#chunks.next();
    if (done) return null;
    this.#read += value.length;
    if (this.#read > UNPACKED_BYTES_MAX + FRAME_BYTES_MAX) throw tooLarge();
    return value;
  }
}
