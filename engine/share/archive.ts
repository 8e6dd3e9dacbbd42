/**
 * Writes a share archive (semantics text 6.7): the files of a bundle in a fixed sequence as POSIX ustar, packed by gzip
 * without time and name. The same bundle gives the same bytes, since everything that tar and gzip would note of the
 * machine is left out, and the stream is handed to deflate in pieces of one size.
 */

import { constants, crc32, createDeflateRaw } from 'node:zlib';
import { type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { UNPACKED_BYTES_MAX } from './archive-reader.js';
import {
  type BundleView,
  type ByteSource,
  EXPORT_FILE,
  MANIFEST_FILE,
  memorySource,
  SHAPES_FILE,
  type ShareBundle,
  SIGNATURE_FILE,
  VIEW_FILE,
  writeSignature,
} from './bundle.js';
import { BLOCK_BYTES, paddingOf, writeHeader } from './tar-header.js';

export { ENTRIES_MAX, readArchive, UNPACKED_BYTES_MAX } from './archive-reader.js';

export const ARCHIVE_ENDING = '.qpack.tar.gz';

/** Magic, deflate, no flags, no time, packed as small as can be, no system. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255);
const PIECE_BYTES = 64 * 1024;

type File = readonly [name: string, content: ByteSource];

/** In the sequence of an archive; a signature comes last. */
export function filesOf(bundle: ShareBundle, { viewTurtle }: BundleView): readonly File[] {
  const { manifestText, exportNTriples, shapesTurtle, signature } = bundle;
  const files: File[] = [
    [MANIFEST_FILE, memorySource(manifestText)],
    [EXPORT_FILE, exportNTriples],
    [SHAPES_FILE, memorySource(shapesTurtle)],
  ];
  if (viewTurtle !== null) files.push([VIEW_FILE, viewTurtle]);
  if (signature !== null) files.push([SIGNATURE_FILE, memorySource(writeSignature(signature))]);
  return files;
}

export async function* writeArchive(
  bundle: ShareBundle,
  view: BundleView,
  control: Control = {},
): AsyncGenerator<Uint8Array> {
  const files = filesOf(bundle, view);
  const bytes = files.reduce((sum, [, content]) => sum + content.bytes, 0);
  if (bytes > UNPACKED_BYTES_MAX) {
    throw new SvcError(
      'limit_exceeded',
      `the bundle has ${bytes} bytes; an archive holds at most ${UNPACKED_BYTES_MAX}`,
      {
        hint: 'share it as a directory (--output DIR), or a smaller scope',
      },
    );
  }
  yield GZIP_HEADER;
  const deflate = createDeflateRaw({ level: constants.Z_BEST_COMPRESSION, windowBits: 15, memLevel: 8 });
  const sums = { crc: 0, bytes: 0 };
  const fed = feed(deflate, pieces(tarOf(files)), sums, control);
  // Its failure ends the stream, which is read below; the promise says it again.
  fed.catch(() => undefined);
  try {
    yield* deflate as AsyncIterable<Uint8Array>;
    await fed;
  } finally {
    deflate.destroy();
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(sums.crc, 0);
  trailer.writeUInt32LE(sums.bytes % 2 ** 32, 4);
  yield trailer;
}

async function feed(
  deflate: ReturnType<typeof createDeflateRaw>,
  tar: AsyncIterable<Uint8Array>,
  sums: { crc: number; bytes: number },
  control: Control,
): Promise<void> {
  try {
    for await (const piece of tar) {
      throwIfStopped(control, 'writing the share archive');
      sums.crc = crc32(piece, sums.crc);
      sums.bytes += piece.length;
      if (!deflate.write(piece)) await drained(deflate);
    }
    deflate.end();
  } catch (error) {
    deflate.destroy(error as Error);
    throw error;
  }
}

function drained(deflate: ReturnType<typeof createDeflateRaw>): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      deflate.off('drain', settle).off('close', settle);
      resolve();
    };
    deflate.on('drain', settle).on('close', settle);
  });
}

async function* tarOf(files: readonly File[]): AsyncGenerator<Uint8Array> {
  for (const [name, content] of files) {
    yield writeHeader(name, content.bytes);
    yield* content.chunks();
    yield new Uint8Array(paddingOf(content.bytes));
  }
  yield new Uint8Array(2 * BLOCK_BYTES);
}

/** The same bytes in pieces of one size. */
async function* pieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let piece = Buffer.alloc(PIECE_BYTES);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const taken = Math.min(PIECE_BYTES - filled, chunk.length - from);
      piece.set(chunk.subarray(from, from + taken), filled);
      filled += taken;
      from += taken;
      if (filled < PIECE_BYTES) continue;
      yield piece;
      piece = Buffer.alloc(PIECE_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
