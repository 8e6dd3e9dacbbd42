/**
 * A trust that the registry keeps is served only while chain and rank are those of the facts: an IRI whose rank was changed
 * behind the registry would otherwise go on with the old one (semantics of graphs, 2.5).
 */

import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { hasFacts } from '../../query/registry/graph-rows.js';
import type { GraphLabels, Trust } from '../../query/registry/label-rows.js';
import { META_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { knownTrust } from './label-facts.js';

/**
 * Refuses labels of a graph whose trust is not that of the facts; each trust IRI is looked up once. Who may not read the meta
 * graph has nothing to compare with.
 */
export function trustCheck(snapshot: StorageSnapshot): (graph: string, labels: GraphLabels) => void {
  const known = new Map<string, Trust | null>();
  let isReadable: boolean | null = null;
  return (graph, { trust }) => {
    if (trust === undefined) return;
    isReadable ??= hasFacts(snapshot, META_GRAPH_IRI);
    if (!isReadable) return;
    const { iri, chain, rank } = trust.value;
    const facts = getOrInsert(known, iri, () => knownTrust(snapshot, iri));
    if (facts?.chain === chain && facts.rank === rank) return;
    const said = facts === null ? 'nothing' : `rank ${facts.rank} in <${facts.chain}>`;
    throw new SvcError(
      'store_corrupt',
      `the trust of <${graph}> is kept as rank ${rank} in <${chain}>, and the facts of <${iri}> say ${said}`,
      { hint: 'svc doctor labels lists what differs; declare the trust of the graph again' },
    );
  };
}
