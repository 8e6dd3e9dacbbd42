/**
 * Declares labels of a graph on a stage: the facts in the meta graph and what the registry keeps of them change in one
 * transaction, or not at all (semantics of graphs, 2.5).
 *
 * 1. The graph must be there, and be committed: nothing is declared of an overlay.
 * 2. Of each axis that is named, the current facts are closed and the new ones begin at the timestamp, with the end that is
 *    given. Other axes keep what they say.
 * 3. A trust IRI is of one chain and rank for good: they belong to it, not to the graph that it is declared of.
 * 4. What the registry keeps is made of the facts, as they are then.
 */

import { SvcError } from '../../base/errors.js';
import { formatInstant } from '../../base/instant.js';
import { findGraph } from '../../query/registry/graph-rows.js';
import { AXES, type Axis, type GraphLabels, storeLabels, type Trust } from '../../query/registry/label-rows.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import { isTombstones, META_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { Stage } from '../../storage/seam/engine.js';
import { lookInto } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { factsOfAxis, factsOfTrust, knownTrust, labelsInFacts, openFacts } from './label-facts.js';
import type { LabelValues } from './parse-labels.js';

export interface Declaration {
  readonly graph: string;
  readonly values: LabelValues;
  /** From this moment on the axes that it names read as undeclared; null = they don't expire. */
  readonly validTo: Instant | null;
}

/** Built in: there without a row. */
const BUILT_IN: readonly string[] = [ROOT_GRAPH_IRI, META_GRAPH_IRI];

/** Gives the axes that it has changed. */
export function declareLabels(stage: Stage, registry: GraphRegistration, declaration: Declaration): Axis[] {
  const { graph, values, validTo } = declaration;
  checkEnd(stage.timestamp, validTo);
  const changed = lookInto(stage.snapshot(), (before) => {
    checkLabelled(before, graph);
    if (values.trust !== undefined) checkTrustIri(before, values.trust);
    const labels = labelsInFacts(before, graph);
    const axes = AXES.filter((axis) => values[axis] !== undefined && !saysAlready(labels, axis, declaration));
    for (const axis of axes) {
      stage.retract(openFacts(before, graph, axis));
      stage.assert(factsOfAxis(graph, axis, values[axis]), stage.timestamp, validTo ?? undefined);
    }
    if (values.trust !== undefined) stage.assert(factsOfTrust(values.trust), stage.timestamp);
    if (axes.length > 0 && !BUILT_IN.includes(graph)) registry.register(before, graph);
    return axes;
  });
  if (changed.length > 0) {
    lookInto(stage.snapshot(), (after) => storeLabels(stage, registry, graph, labelsInFacts(after, graph)));
  }
  return changed;
}

function checkEnd(timestamp: Instant, validTo: Instant | null): void {
  if (validTo === null || validTo > timestamp) return;
  const [end, begin] = [formatInstant(validTo), formatInstant(timestamp)];
  throw new SvcError('invalid_request', `'valid_to' is ${end}, which is not later than the timestamp, ${begin}`, {
    hint: 'a declaration holds from its timestamp until valid_to; leave valid_to out for one that does not expire',
  });
}

/** Refuses what nothing can be declared of; nothing is interned. */
function checkLabelled(snapshot: StorageSnapshot, iri: string): void {
  const row = isTombstones(iri) ? null : findGraph(snapshot, iri);
  if (row === null) {
    throw new SvcError('not_found_in_store', `unknown graph: ${iri}`, {
      hint: 'check the IRI, or make the graph first (CREATE GRAPH, POST /graph/create)',
    });
  }
  if (row.class === 'overlay') {
    throw new SvcError('invalid_request', `the graph <${iri}> is an overlay, and nothing is declared of overlays`, {
      hint: 'declare labels of its parent',
    });
  }
}

function checkTrustIri(snapshot: StorageSnapshot, { iri, chain, rank }: Trust): void {
  const known = knownTrust(snapshot, iri);
  if (known === null || (known.chain === chain && known.rank === rank)) return;
  throw new SvcError(
    'invalid_request',
    `'trust.iri' <${iri}> has rank ${known.rank} in the chain <${known.chain}>, not rank ${rank} in <${chain}>`,
    { hint: 'chain and rank belong to a trust IRI for good; declare another IRI for another rank' },
  );
}

/** True when the axis has the value already, up to the same end. */
function saysAlready(labels: GraphLabels, axis: Axis, { values, validTo }: Declaration): boolean {
  const declared = labels[axis];
  return declared !== undefined && declared.validTo === validTo && sameValue(declared.value, values[axis]);
}

/** Values of one axis, as they are read: lists are sorted. */
export function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
