/** What must hold before the rows of a graph leave a store, or come back to it. */

import { SvcError } from '../../base/errors.js';
import { terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../ids/layout.js';
import type { PackManifest, PackTransaction } from '../seam/pack.js';
import type { StorageSnapshot } from '../seam/scan.js';
import type { GraphMove } from '../stage/graph-moves.js';
import type { TransactionLookup } from './content-source.js';
import type { Pack } from './pack-reader.js';

export function prepareRelocation(
  snapshot: StorageSnapshot,
  iri: string,
  isRelocated: (graph: TermId) => boolean,
): GraphMove {
  const graph = snapshot.encode(terms.namedNode(iri));
  if (graph === ROOT_ID) throw new SvcError('invalid_request', 'the ROOT graph can not leave its store');
  if (graph === null) throw new SvcError('not_found_in_store', `the store knows no graph ${iri}`);
  if (isRelocated(graph)) {
    throw new SvcError('state_conflict', `the rows of ${iri} have left the store already`, {
      hint: 'put them back first',
    });
  }
  return { kind: 'relocate', graph, iri };
}

/** What a store is to a pack. */
export interface HomeStore {
  readonly path: string;
  readonly storeId: string | null;
  /** In hex. */
  readonly epoch: string;
}

/** Refuses a pack whose ids are not those of the store. */
export function assertHome({ path, storeId, epoch }: HomeStore, pack: Pack, packEpoch: string): void {
  const { store_id } = pack.manifest;
  if (storeId === store_id && epoch === packEpoch) return;
  const why =
    storeId === store_id
      ? `its terms are numbered by another dictionary (epoch ${packEpoch}, not ${epoch})`
      : `the store ${store_id} wrote it, and this one is ${storeId ?? 'without a name'}`;
  throw new SvcError('store_foreign', `${pack.path} is no pack of ${path}: ${why}`, {
    hint: 'svc unpack copies the facts of a pack of any store',
  });
}

/** The graph that a pack puts back; it has no rows here. */
export function prepareRestoration(
  snapshot: StorageSnapshot,
  pack: Pack,
  isRelocated: (graph: TermId) => boolean,
  lookup: TransactionLookup,
): GraphMove<Pack> {
  const { manifest, path } = pack;
  const graph = snapshot.encode(terms.namedNode(manifest.graph));
  if (manifest.pack_format !== 'archive/1') {
    throw new SvcError('invalid_request', `${path} holds current facts only (${manifest.pack_format})`, {
      hint: 'svc unpack asserts them',
    });
  }
  if (graph === null || graph !== pack.graph || !isRelocated(graph)) {
    throw new SvcError('state_conflict', `the rows of ${manifest.graph} have not left the store`);
  }
  const rows = snapshot.count({ graphs: { kind: 'one', graph }, pattern: {}, time: { kind: 'all' } });
  if (rows > 0) {
    throw new SvcError('state_conflict', `${manifest.graph} has ${rows} rows in the store`, {
      hint: 'move them to another graph first',
    });
  }
  assertAgreed(manifest, pack.transactions.values(), snapshot.tx, lookup);
  return { kind: 'restore', graph, iri: manifest.graph, pack };
}

function assertAgreed(
  { graph }: PackManifest,
  transactions: Iterable<PackTransaction>,
  lastTx: number,
  lookup: TransactionLookup,
): void {
  for (const theirs of transactions) {
    const ours = theirs.id <= lastTx ? lookup(theirs.id) : null;
    const isSame = ours?.timestamp === theirs.timestamp && ours.actor === theirs.actor && ours.source === theirs.source;
    if (isSame) continue;
    throw new SvcError(
      'state_conflict',
      `transaction ${theirs.id} of the pack of ${graph} is another one in the store`,
      {
        hint: 'the pack belongs to another past of this store',
      },
    );
  }
}
