/** Entities of ROOT with their current facts, in the order of their IRIs: of a class, with a predicate, or all. */

import { type Control, throwIfStopped } from '../../base/control.js';
import { RDF_NS, type Term, terms } from '../../rdf/terms.js';
import { ROOT_ID } from '../../storage/ids/layout.js';
import { CURRENT, type StorageSnapshot } from '../../storage/scan.js';
import { toIri } from './entity.js';
import { type Fact, readFacts } from './entity-facts.js';
import { orderedSubjects, type Subject } from './ordered-subjects.js';
import { type PageOptions, windowOf } from './paging.js';
import { commonSubjectIds, type SubjectIds, subjectIds } from './subject-ids.js';

/** Most facts that are read of one entity for a list. */
const ENTITY_FACTS_MAX = 1000;
/** Most facts of a page, so that one of many large entities ends early. */
const PAGE_FACTS_MAX = 100_000;

export interface CordOptions extends PageOptions, Control {
  readonly type?: string | undefined;
  readonly predicate?: string | undefined;
}

export interface EntityFacts {
  readonly entity: Term;
  readonly facts: readonly Fact[];
  /** True when it has more facts than were read. */
  readonly cut: boolean;
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
    for (const subject of batch) {
      if (passed++ < window.from) continue;
      if (passed > window.to || facts >= PAGE_FACTS_MAX) return { entities, truncated: true };
      const found = factsOfSubject(snapshot, subject);
      facts += found.facts.length;
      entities.push(found);
    }
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

function factsOfSubject(snapshot: StorageSnapshot, { id, term }: Subject): EntityFacts {
  const { facts, cut } = readFacts(snapshot, { graph: ROOT_ID, subject: id, time: CURRENT }, ENTITY_FACTS_MAX);
  return { entity: term, facts, cut };
}
