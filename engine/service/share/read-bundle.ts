/**
 * A bundle on this machine: a directory, or an archive. Of a directory only plain files are read, never what a link leads to;
 * its triples stay in their file and are read when they are verified. Other files of it, such as those of git, don't count.
 */

import { createReadStream } from 'node:fs';
import { lstat, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { ARCHIVE_ENDING } from '../../share/archive.js';
import { readArchive, textOf, UNPACKED_BYTES_MAX } from '../../share/archive-reader.js';
import {
  EXPORT_FILE,
  MANIFEST_FILE,
  parseSignature,
  SHAPES_FILE,
  type ShareSignature,
  SIGNATURE_FILE,
} from '../../share/bundle.js';
import type { LoadSource } from '../../storage/seam/engine.js';

export interface FoundBundle {
  /** Of the directory or archive, without its endings. */
  readonly name: string;
  readonly manifestText: string;
  readonly shapesTurtle: string;
  readonly signature: ShareSignature | null;
  readonly exportNTriples: LoadSource;
}

export async function readBundle(path: string, control: Control): Promise<FoundBundle> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  if (found.isDirectory()) return readFolder(path);
  if (!found.isFile()) throw notABundle(path, 'it is neither a directory nor a file');
  const packed = createReadStream(path);
  try {
    const bundle = await readArchive(packed, control);
    const pieces: Uint8Array[] = [];
    for await (const chunk of bundle.exportNTriples.chunks()) pieces.push(chunk);
    const { manifestText, shapesTurtle, signature } = bundle;
    const bytes = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
    return { name: nameOf(path), manifestText, shapesTurtle, signature, exportNTriples: documentOf(bytes) };
  } finally {
    packed.destroy();
  }
}

/** The triples of a bundle in memory, as a document that goes along with a write. */
export function documentOf(bytes: Uint8Array): LoadSource {
  return { kind: 'bytes', bytes, name: EXPORT_FILE, format: 'ntriples' };
}

async function readFolder(folder: string): Promise<FoundBundle> {
  const manifestText = await textIn(folder, MANIFEST_FILE);
  const shapesTurtle = await textIn(folder, SHAPES_FILE);
  const path = join(folder, EXPORT_FILE);
  await checkFile(folder, EXPORT_FILE);
  const isSigned = await isThere(join(folder, SIGNATURE_FILE));
  const signature = isSigned ? parseSignature(await textIn(folder, SIGNATURE_FILE)) : null;
  return {
    name: nameOf(folder),
    manifestText,
    shapesTurtle,
    signature,
    exportNTriples: { kind: 'file', path, name: EXPORT_FILE, format: 'ntriples' },
  };
}

/** A signature that can't be looked at is no missing one. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function textIn(folder: string, file: string): Promise<string> {
  const bytes = await checkFile(folder, file);
  if (bytes > UNPACKED_BYTES_MAX) {
    throw new SvcError(
      'limit_exceeded',
      `${join(folder, file)} has ${bytes} bytes; at most ${UNPACKED_BYTES_MAX} are read`,
    );
  }
  return textOf(await readFile(join(folder, file)), file);
}

/** Its length. */
async function checkFile(folder: string, file: string): Promise<number> {
  const path = join(folder, file);
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw notABundle(folder, `it has no ${file}`);
    throw unreadable(path, error);
  });
  if (!found.isFile()) throw notABundle(folder, `${file} is ${found.isSymbolicLink() ? 'a link' : 'no plain file'}`);
  return found.size;
}

/** What its maker may be called when nobody says. */
function nameOf(path: string): string {
  const name = basename(path === '.' || path === '..' ? process.cwd() : path);
  return name.endsWith(ARCHIVE_ENDING) ? name.slice(0, -ARCHIVE_ENDING.length) : name;
}

function notABundle(path: string, what: string): SvcError {
  return new SvcError('invalid_request', `${path} is no share bundle: ${what}`, {
    hint: `a bundle is a directory with ${MANIFEST_FILE}, ${EXPORT_FILE} and ${SHAPES_FILE}, or an archive *${ARCHIVE_ENDING}`,
  });
}

function unreadable(path: string, { code, message }: NodeJS.ErrnoException): SvcError {
  const what = code === 'ENOENT' ? 'there is no such directory or file' : message;
  return new SvcError('source_unreadable', `${path} can't be read: ${what}`);
}
