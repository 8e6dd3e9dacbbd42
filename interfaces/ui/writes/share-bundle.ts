/** A share bundle from files that a person has: an archive, or the files of a directory. */

import type { Operations } from '../../../clients/typescript/src/index.js';
import { count } from '../parts/text.js';
import { UNPACKED_BYTES_MAX, unpacked } from './share-archive.js';

type ImportRequest = Operations['import_share']['request'];
export type Bundle = Pick<ImportRequest, 'manifest' | 'export_ntriples' | 'shapes_turtle' | 'signature'>;

export interface OpenedBundle {
  /** What the files were called: who it came from, until a person says it better. */
  readonly name: string;
  readonly bundle: Bundle;
}

const ARCHIVE = /\.tar\.gz$|\.tgz$/i;
const NEEDED = ['manifest.json', 'export.nt', 'shapes.ttl'] as const;
const SIGNATURE = 'signature.json';

/** Throws for files that are no bundle, with what is missing. */
export async function openBundle(files: readonly File[]): Promise<OpenedBundle> {
  const [first] = files;
  if (first === undefined) throw new TypeError('There is no file.');
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > UNPACKED_BYTES_MAX) {
    throw new TypeError(`${count(bytes)} bytes: more than ${count(UNPACKED_BYTES_MAX)} are imported by svc import.`);
  }
  if (files.length === 1 && ARCHIVE.test(first.name)) {
    const entries = await unpacked(first);
    const texts = entries.map(({ name, bytes: content }) => [nameOf(name), textOf(name, content)] as const);
    return { name: first.name, bundle: bundleOf(new Map(texts)) };
  }
  const texts = await Promise.all(
    files.map(async (file) => [file.name, textOf(file.name, new Uint8Array(await file.arrayBuffer()))] as const),
  );
  const [folder = ''] = first.webkitRelativePath.split('/');
  return { name: folder === '' ? 'a share' : folder, bundle: bundleOf(new Map(texts)) };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function textOf(name: string, bytes: Uint8Array): string {
  try {
    // A mark at the beginning would be one byte that the hashes know nothing of.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TypeError(`${name} is not UTF-8, so it is no file of a share.`);
  }
}

function bundleOf(texts: ReadonlyMap<string, string>): Bundle {
  const missing = NEEDED.filter((name) => !texts.has(name));
  if (missing.length > 0) {
    throw new TypeError(
      `It is no share: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing. Take the archive (.qpack.tar.gz), or all files of the directory at once.`,
    );
  }
  const [manifest, triples, shapes] = NEEDED.map((name) => texts.get(name) as string) as [string, string, string];
  const signature = texts.get(SIGNATURE);
  return {
    manifest,
    export_ntriples: triples,
    shapes_turtle: shapes,
    ...(signature === undefined ? {} : { signature: signatureOf(signature) }),
  };
}

function signatureOf(text: string): NonNullable<Bundle['signature']> {
  try {
    return JSON.parse(text) as NonNullable<Bundle['signature']>;
  } catch {
    throw new TypeError(`${SIGNATURE} is not JSON.`);
  }
}
