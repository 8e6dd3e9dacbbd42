/**
 * The namespace of the IRIs that the store mints, sealed, under the key `base_ns` of `meta`. It is set once: by who makes
 * the store, or, for a store that was made without one, with the next write of who opens it with one. From then on nobody
 * opens the store with another: what was minted before would no longer be found. One that no IRI can begin with counts as
 * none, since nothing was ever minted with it.
 */

import { SvcError } from '../../base/errors.js';
import { namespaceFault } from '../../rdf/formats/input/term-checks.js';
import type { LmdbFile } from './file.js';
import { seal, unseal } from './sealed.js';

/** In `meta`. */
export const BASE_NAMESPACE_KEY = 'base_ns';

/** What files without one take on with their next write. */
const pending = new WeakMap<LmdbFile, string>();

/** What stands under the key in the file at `path`; null where nothing does. */
export function baseNamespaceOf(sealed: Buffer | undefined, path: string): string | null {
  return sealed === undefined ? null : unseal(sealed, `the base namespace of ${path}`).toString('utf8');
}

export function readBaseNamespace(file: LmdbFile): string | null {
  const kept = baseNamespaceOf(file.readCopy('meta', BASE_NAMESPACE_KEY), file.path);
  return kept === null || namespaceFault(kept) !== null ? null : kept;
}

/** Inside a write of the file only. */
export function putBaseNamespace(file: LmdbFile, given: string): void {
  file.put('meta', BASE_NAMESPACE_KEY, seal(Buffer.from(given, 'utf8')));
}

/** Refuses a namespace that is not the store's; a store without one takes it on when it is next written to. */
export function agreeOnBaseNamespace(file: LmdbFile, given: string | undefined): void {
  if (given === undefined) return;
  const kept = readBaseNamespace(file);
  if (kept === null) {
    if (!file.readOnly) pending.set(file, given);
    return;
  }
  if (kept === given) return;
  throw new SvcError('configuration', `base_ns is '${given}', but ${file.path} mints its IRIs in '${kept}'`, {
    hint: `set base_ns = "${kept}" under [svc] of the configuration, or name another store with --db`,
  });
}

/** The namespace of a file; one without takes on `fallback` with its next write. */
export function baseNamespaceOr(file: LmdbFile, fallback: string): string {
  const kept = readBaseNamespace(file) ?? pending.get(file);
  if (kept !== undefined) return kept;
  if (!file.readOnly) pending.set(file, fallback);
  return fallback;
}

/** Inside every write that a caller asked for. */
export function adoptBaseNamespace(file: LmdbFile): void {
  const given = pending.get(file);
  if (given === undefined) return;
  // Forgotten only when it is seen in the file: the write that put it there may have failed.
  if (readBaseNamespace(file) === null) putBaseNamespace(file, given);
  else pending.delete(file);
}

/** Takes away one that can't be read; true when there was such a one. */
export function dropDamagedBaseNamespace(file: LmdbFile): boolean {
  try {
    readBaseNamespace(file);
    return false;
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'store_corrupt') throw error;
    file.write(() => file.remove('meta', BASE_NAMESPACE_KEY));
    return true;
  }
}
