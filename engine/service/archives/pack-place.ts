/** Where the pack of a freeze goes: the folder that is asked for, and a name that tells the graph and its contents. */

import { createHash } from 'node:crypto';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { SvcError } from '../../base/errors.js';

const SLUG_LENGTH_MAX = 64;
/** Of the content hash. */
const HASH_DIGITS = 12;
const OTHER_DIGITS = 6;

const PREFIX = 'sha256:';

/** The last part of a graph's IRI, in letters that every file system has. */
function slugOf(graph: string): string {
  const last = graph.split(/[/#:]/).findLast((part) => part !== '') ?? '';
  const plain = last.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^[.-]+|[.-]+$/g, '');
  return plain.slice(0, SLUG_LENGTH_MAX) || 'graph';
}

export function hexOf(contentHash: string): string {
  return contentHash.slice(PREFIX.length);
}

/** The name of a pack; `other`: of a graph whose name another graph with the same contents has taken. */
export function packName(graph: string, contentHash: string, other = false): string {
  const mark = other ? `-${createHash('sha256').update(graph).digest('hex').slice(0, OTHER_DIGITS)}` : '';
  return `${slugOf(graph)}${mark}-${hexOf(contentHash).slice(0, HASH_DIGITS)}.qpack.db`;
}

/** The folder behind links; refused when it is none, or can't be written. */
export function writableFolder(given: string): string {
  const refuse = (why: string) =>
    new SvcError('invalid_request', `out_dir: ${given} ${why}`, {
      hint: 'name a folder that is there and can be written',
    });
  let folder: string;
  try {
    folder = realpathSync.native(resolve(given));
    if (!statSync(folder).isDirectory()) throw refuse('is no folder');
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(code === 'ENOENT' ? 'is not there' : `can't be looked at (${code ?? String(error)})`);
  }
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    throw refuse("can't be written");
  }
  return folder;
}

/** Refuses a folder that does not lie in another, links and all. */
export function checkWithin(given: string, base: string): void {
  const inner = relative(writableFolder(base), writableFolder(given));
  if (inner !== '..' && !inner.startsWith(`..${sep}`)) return;
  throw new SvcError('invalid_request', `out_dir: ${given} does not lie in archives.dir`, {
    hint: 'leave it out, or name a folder below archives.dir',
  });
}

export function placeIn(folder: string, name: string): { readonly path: string; readonly temporary: string } {
  const path = join(folder, name);
  return { path, temporary: `${path}.building` };
}
