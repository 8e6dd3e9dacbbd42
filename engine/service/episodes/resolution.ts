/** Names resolved over HTTP, tools and the library: what a configuration says of it, and the comparison itself. */

import { SvcError } from '../../base/errors.js';
import { type NameMatch, resolveNames } from '../../search/resolve.js';
import { typesOf } from '../../search/spotlight.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { ResolveOptions } from './episode.js';
import { labelsOfStore } from './hints.js';

export async function resolveInStore(
  engine: StorageEngine,
  snapshot: StorageSnapshot,
  name: string,
  { topK, threshold, types, ...control }: ResolveOptions,
): Promise<NameMatch[]> {
  if (typeof name !== 'string' || name === '') throw new SvcError('invalid_request', "missing 'name' parameter");
  if (!(threshold >= 0 && threshold <= 1)) {
    throw new SvcError('invalid_request', `threshold is ${threshold}; expected a number of at least 0 and at most 1`);
  }
  if (!Number.isSafeInteger(topK) || topK < 1) {
    throw new SvcError('invalid_request', `top_k is ${topK}; expected an integer of at least 1`);
  }
  const isWanted = types && ((iri: string) => typesOf(snapshot, iri).some((type) => types.includes(type)));
  const [found = []] = await resolveNames(
    snapshot,
    labelsOfStore(engine),
    [{ name, isWanted }],
    { topK, threshold },
    control,
  );
  return found;
}
