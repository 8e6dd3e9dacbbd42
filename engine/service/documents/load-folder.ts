/**
 * The documents that LOAD may read: files below one folder, named by `file:` IRIs, and nothing else. A
 * link that leads out of the folder is outside of it.
 */

import { realpathSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SvcError } from '../../base/errors.js';
import type { ReadDocument } from '../../query/update/execute.js';
import { readSources } from '../../storage/documents/read-sources.js';

export function documentReader(folder: string): ReadDocument {
  return async (source, graph, control) => {
    const path = pathOf(source, folder);
    const { quads } = await readSources([{ kind: 'file', path, name: source, baseIri: source }], { graph }, control);
    return quads;
  };
}

function pathOf(source: string, folder: string): string {
  const path = resolved(fromIri(source), source);
  const below = relative(resolved(folder, 'update.load_from'), path);
  if (below !== '' && !below.startsWith('..') && !isAbsolute(below)) return path;
  throw new SvcError('invalid_request', `LOAD <${source}>: the file lies outside of update.load_from`);
}

function fromIri(source: string): string {
  try {
    return fileURLToPath(source);
  } catch (error) {
    throw new SvcError('invalid_request', `LOAD <${source}>: only file: IRIs below update.load_from are loaded`, {
      cause: error,
    });
  }
}

function resolved(path: string, name: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new SvcError('source_unreadable', `${name}: ${(error as Error).message}`, { cause: error });
  }
}
