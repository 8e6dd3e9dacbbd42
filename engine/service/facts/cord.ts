/** Entities of ROOT with their current facts, in the order of their IRIs: of a class, with a predicate, or all. */

import { type Control, throwIfStopped } from '../../base/control.js';
import { RDF_NS, type Term, terms } from '../../rdf/terms.js';
import { ROOT_ONLY } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { toIri } from './entity.js';
import { readFactsOfEach, type SubjectFacts } from './entity-facts.js';
import { orderedSubjects, type Subject } from './ordered-subjects.js';
import { type PageOptions, windowOf } from './paging.js';
import { commonSubjectIds, type SubjectIds, subjectIds } from './subject-ids.js';

/** Most facts that are read of one entity for a list. */
const ENTITY_FACTS_MAX = 1000;
/** Most facts of a page, so that one of many large entities ends early. */
const PAGE_FACTS_MAX = 100_000;
/** Entities that are looked up by one probe. */
const ENTITIES_AT_ONCE = 64;

export interface CordOptions extends PageOptions, Control {
  readonly type?: string | undefined;
  readonly predicate?: string | undefined;
}

export interface EntityFacts extends SubjectFacts {
  readonly entity: Term;
}

export interface Cord {
  readonly entities: readonly EntityFacts[];
  /** True when there are more entities. */
  readonly truncated: boolean;
}

export async function listEntities(snapshot: StorageSnapshot, options: CordOptions): Promise<Cord> {
  const window = windowOf(options);
  const entities: EntityFacts[] = [];
  const ids = await filteredIds(snapshot, options);
  if (ids === null) return { entities, truncated: false };
  let [passed, facts] = [0, 0];
  for await (const batch of orderedSubjects(snapshot, ids, 'iri', options)) {
    const wanted = batch.slice(Math.max(0, window.from - passed), Math.max(0, window.to - passed));
    passed += batch.length;
    for (let at = 0; at < wanted.length; at += ENTITIES_AT_ONCE) {
      for (const found of factsOfSubjects(snapshot, wanted.slice(at, at + ENTITIES_AT_ONCE))) {
        if (facts >= PAGE_FACTS_MAX) return { entities, truncated: true };
        facts += found.facts.length;
        entities.push(found);
      }
      throwIfStopped(options, 'the listing');
    }
    if (passed > window.to) return { entities, truncated: true };
    throwIfStopped(options, 'the listing');
  }
  return { entities, truncated: false };
}

/** Null when the store does not know a word of the filter. */
async function filteredIds(snapshot: StorageSnapshot, options: CordOptions): Promise<SubjectIds | null> {
  const type = options.type === undefined ? undefined : toIri(options.type, 'type');
  const predicate = options.predicate === undefined ? undefined : toIri(options.predicate, 'predicate');
  const p = predicate === undefined ? undefined : snapshot.encode(predicate);
  if (p === null) return null;
  if (type === undefined) return subjectIds(snapshot, { p }, options);
  const [rdfType, o] = [snapshot.encode(terms.namedNode(`${RDF_NS}type`)), snapshot.encode(type)];
  if (rdfType === null || o === null) return null;
  const ofType = { p: rdfType, o };
  return p === undefined ? subjectIds(snapshot, ofType, options) : commonSubjectIds(snapshot, { p }, ofType, options);
}

function factsOfSubjects(snapshot: StorageSnapshot, subjects: readonly Subject[]): EntityFacts[] {
  const scope = { graphs: ROOT_ONLY, time: CURRENT };
  const ids = subjects.map(({ id }) => id);
  const found = readFactsOfEach(snapshot, scope, ids, ENTITY_FACTS_MAX);
  return found.map((facts, at) => ({ ...facts, entity: (subjects[at] as Subject).term }));
}
