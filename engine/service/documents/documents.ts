/**
 * From paths to documents. A file stands for itself; a directory for the documents below it, in the
 * order of their paths. In a directory a file counts by its name: an unknown extension is skipped
 * with a notice, and so is `.xml` or `.json` whose beginning shows no RDF. Links to directories are
 * not followed, so there are no loops; what is neither file nor directory is skipped.
 */

import { closeSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../base/errors.js';
import { type Format, formatOfPath, knownFormOfPath } from '../../rdf/formats/registry.js';
import type { LoadSource } from '../../storage/seam/engine.js';

export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

export interface FoundDocuments {
  readonly sources: readonly LoadSource[];
  readonly skipped: readonly SkippedFile[];
}

export interface DocumentOptions {
  /** The format of files that are named one by one, whatever their extension says. */
  readonly format?: Format | undefined;
  /** For named files whose extension is unknown; absent = an error. */
  readonly fallbackFormat?: Format | undefined;
  readonly baseIri?: string | undefined;
}

/** How much of a file is looked at to see whether it holds RDF at all. */
const PEEK_BYTES = 64 * 1024;

function statOrFail(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason = code === 'ENOENT' ? 'no such file or directory' : (error as Error).message;
    throw new SvcError('source_unreadable', `${path}: ${reason}`, { cause: error });
  }
}

function peek(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = new Uint8Array(PEEK_BYTES);
    return new TextDecoder().decode(bytes.subarray(0, readSync(file, bytes, 0, PEEK_BYTES, 0)));
  } finally {
    closeSync(file);
  }
}

/** Why a file of a directory is no document of ours, or null. */
function reasonToSkip(path: string): string | null {
  if (knownFormOfPath(path) === null) return 'unknown extension';
  try {
    if (/\.xml$/i.test(path) && !/http:\/\/www\.w3\.org\/1999\/02\/22-rdf-syntax-ns#/.test(peek(path))) {
      return 'XML without the RDF namespace';
    }
    if (/\.json$/i.test(path) && !/"@(context|id|graph|type)"/.test(peek(path))) return 'JSON without JSON-LD keywords';
  } catch (error) {
    throw new SvcError('source_unreadable', `${path}: ${(error as Error).message}`, { cause: error });
  }
  return null;
}

function listDirectory(directory: string, paths: string[], skipped: SkippedFile[]): void {
  const entries = readdirSync(directory, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      listDirectory(path, paths, skipped);
      continue;
    }
    const stats = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (entry.isSymbolicLink() && stats === undefined) skipped.push({ path, reason: 'a link that leads nowhere' });
    else if (stats?.isDirectory()) skipped.push({ path, reason: 'a link to a directory' });
    else if (!entry.isFile() && !stats?.isFile()) skipped.push({ path, reason: 'neither file nor directory' });
    else {
      const reason = reasonToSkip(path);
      if (reason === null) paths.push(path);
      else skipped.push({ path, reason });
    }
  }
}

function fileSource(path: string, format: Format, baseIri: string | undefined): LoadSource {
  return { kind: 'file', path, name: path, format, ...(baseIri === undefined ? {} : { baseIri }) };
}

/** The documents that some paths stand for. A path that is missing, or a directory without documents, is an error. */
export function findDocuments(paths: readonly string[], options: DocumentOptions = {}): FoundDocuments {
  const sources: LoadSource[] = [];
  const skipped: SkippedFile[] = [];
  for (const path of paths) {
    const stats = statOrFail(path);
    if (!stats.isDirectory()) {
      const known = options.format ?? knownFormOfPath(path)?.format ?? options.fallbackFormat;
      sources.push(fileSource(path, known ?? formatOfPath(path).format, options.baseIri));
      continue;
    }
    const found: string[] = [];
    listDirectory(path, found, skipped);
    if (found.length === 0)
      throw new SvcError('source_unreadable', `${path}: the directory holds no document of a known format`);
    for (const file of found) sources.push(fileSource(file, formatOfPath(file).format, options.baseIri));
  }
  return { sources, skipped };
}
