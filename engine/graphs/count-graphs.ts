/** How many graphs are registered, and how many facts they hold, by class: from one snapshot, without a look at their rows. */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { addCount } from '../base/maps.js';
import { factsOf, frozenGraphs, overlayIds, registeredIds } from '../query/registry/graph-rows.js';
import { isTombstones, META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI, terms } from '../rdf/terms.js';
import { ROOT_ID, type TermId } from '../storage/ids/layout.js';
import { decodeIds } from '../storage/seam/rows.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { frozenFacts } from './frozen-facts.js';

export interface GraphTally {
  /** `class lifecycle` -> graphs; lifecycle `live` = not frozen. */
  readonly graphs: ReadonlyMap<string, number>;
  /** Facts of ROOT, of committed and frozen graphs, and of overlays. */
  readonly facts: ReadonlyMap<string, number>;
}

/** What a registered graph that is not frozen shows as its lifecycle. */
const LIVE = 'live';
const GRAPHS_AT_ONCE = 1024;

export async function tallyGraphs(snapshot: StorageSnapshot, control: Control = {}): Promise<GraphTally> {
  const graphs = new Map<string, number>();
  const facts = new Map<string, number>();
  const [overlays, frozen] = [new Set(overlayIds(snapshot)), new Set(frozenGraphs(snapshot))];
  const counted = frozenFacts(snapshot);
  const ids = registeredGraphs(snapshot);
  for (let from = 0; from < ids.length; from += GRAPHS_AT_ONCE) {
    throwIfStopped(control, 'the counts');
    const some = ids.slice(from, from + GRAPHS_AT_ONCE);
    for (const [at, { termType, value: iri }] of decodeIds(snapshot, some).entries()) {
      if (termType !== 'NamedNode' || iri === REGISTRY_GRAPH_IRI || isTombstones(iri)) continue;
      const id = some[at] as TermId;
      const graphClass = overlays.has(id) ? 'overlay' : 'committed';
      const isFrozen = frozen.has(iri);
      addCount(graphs, `${graphClass} ${isFrozen ? 'frozen' : LIVE}`, 1);
      const kind = id === ROOT_ID ? 'ROOT' : isFrozen ? 'frozen' : graphClass;
      addCount(facts, kind, (isFrozen ? counted.get(iri) : undefined) ?? factsOf(snapshot, id));
    }
    await breathe();
  }
  // Built in: there before anything names it.
  if (snapshot.encode(terms.namedNode(META_GRAPH_IRI)) === null) {
    addCount(graphs, `committed ${LIVE}`, 1);
    addCount(facts, 'committed', 0);
  }
  return { graphs, facts };
}

function registeredGraphs(snapshot: StorageSnapshot): TermId[] {
  const builtIn = [ROOT_GRAPH_IRI, META_GRAPH_IRI].flatMap((iri) => snapshot.encode(terms.namedNode(iri)) ?? []);
  return [...new Set([...builtIn, ...snapshot.graphs(), ...registeredIds(snapshot)])];
}
