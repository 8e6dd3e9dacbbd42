/**
 * Stored queries as rows of the registry graph: one quad each, `<urn:svc:query:NAME> svc:storedQuery "JSON"`.
 * Storing a query again closes the quad before it, which stays as its history (decision 18). What stands there and
 * is no definition was not written by us and is passed over.
 */

import { compareCodePoints } from '../../base/text.js';
import { decodeIds, exactly, idsOf } from '../../query/registry/graph-rows.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import { REGISTRY, SVC_NS } from '../../query/registry/system-graphs.js';
import { type Quad, type Term, terms } from '../../rdf/terms.js';
import type { StagedTransaction } from '../../storage/engine.js';
import type { StorageSnapshot } from '../../storage/scan.js';
import type { QueryDefinition } from './query-definition.js';
import { isQueryName } from './query-name.js';

const STORED = terms.namedNode(`${SVC_NS}storedQuery`);

function nodeOf(name: string) {
  return terms.namedNode(`urn:svc:query:${encodeURIComponent(name)}`);
}

function read(term: Term): QueryDefinition | null {
  try {
    const { name, description, template, dataset, params } = JSON.parse(term.value) as QueryDefinition;
    const whole = typeof name === 'string' && typeof template === 'string' && Array.isArray(params);
    return whole ? { name, description, template, dataset, params } : null;
  } catch {
    return null;
  }
}

/** All of them, by name. */
export function storedQueries(snapshot: StorageSnapshot): QueryDefinition[] {
  const p = snapshot.encode(STORED, true);
  if (p === null) return [];
  const found = decodeIds(snapshot, idsOf(snapshot, { p: exactly(p) }, ['o']).flat());
  return found.flatMap((term) => read(term) ?? []).sort((a, b) => compareCodePoints(a.name, b.name));
}

/** Null when there is none of that name. */
export function storedQuery(snapshot: StorageSnapshot, name: string): QueryDefinition | null {
  const [term] = isQueryName(name) ? objectsOf(snapshot, name) : [];
  return term === undefined ? null : read(term);
}

/** Stores a query in place of the one of its name. */
export function storeQuery(stage: StagedTransaction, registry: GraphRegistration, query: QueryDefinition): void {
  registry.writesRows();
  const before = quadsOf(stage, query.name);
  stage.retract(before);
  const definition = terms.literal(JSON.stringify(query));
  stage.assert([terms.quad(nodeOf(query.name), STORED, definition, REGISTRY)], stage.timestamp);
}

/** True when there was one. */
export function removeQuery(stage: StagedTransaction, registry: GraphRegistration, name: string): boolean {
  registry.writesRows();
  const before = isQueryName(name) ? quadsOf(stage, name) : [];
  stage.retract(before);
  return before.length > 0;
}

function quadsOf(stage: StagedTransaction, name: string): Quad[] {
  const snapshot = stage.snapshot();
  try {
    const objects = objectsOf(snapshot, name);
    return objects.map((object) => terms.quad(nodeOf(name), STORED, object as Quad['object'], REGISTRY));
  } finally {
    snapshot.close();
  }
}

function objectsOf(snapshot: StorageSnapshot, name: string): Term[] {
  const [s, p] = [snapshot.encode(nodeOf(name)), snapshot.encode(STORED, true)];
  if (s === null || p === null) return [];
  return decodeIds(snapshot, idsOf(snapshot, { s: exactly(s), p: exactly(p) }, ['o']).flat());
}
