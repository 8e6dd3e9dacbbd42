/** Entities by name in the order of `/search/nodes` (semantics of reasoning, 9.5): those near to the text, then those whose names hold it. */

import { type Control, throwIfStopped } from '../base/control.js';
import { compareCodePoints, localPart } from '../base/text.js';
import { RDF_NS, type Term, terms } from '../rdf/terms.js';
import type { TermId } from '../storage/ids/layout.js';
import { decodeIds, exactly, patternOf, ROOT_ONLY, readIds, readRows } from '../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot, TimeSlice } from '../storage/seam/scan.js';
import { type EntityCard, readCards } from './context/entity-card.js';
import { Containment } from './match/containment.js';
import { holds, idSet } from './match/entity-set.js';
import { GENERATED_BY } from './match/scope.js';
import type { TextMatcher } from './match/text-matcher.js';

export interface NamedNodeRequest {
  readonly query: string;
  readonly time: TimeSlice;
  readonly labels: readonly TermId[];
  readonly scope: IdColumn | null;
  /** In the IRI of a type; absent = any. */
  readonly typeText: string | undefined;
  readonly offset: number;
  readonly limit: number;
  readonly baseNamespace: string;
}

export interface FoundName extends EntityCard {
  /** The label, or the last part of the IRI. */
  readonly name: string;
  /** Of an episode that wrote it, the first by name. */
  readonly groupId: string | null;
}

export interface FoundNames {
  readonly nodes: readonly FoundName[];
  /** There are more. */
  readonly truncated: boolean;
}

export type FindNear = (
  limit: number,
  candidates: IdColumn | undefined,
) => Promise<readonly { readonly entity: TermId }[]>;

const TYPE = terms.namedNode(`${RDF_NS}type`);
const FACTS_MAX = 10_000;

export async function findNamedNodes(
  snapshot: StorageSnapshot,
  matcher: TextMatcher,
  near: FindNear | null,
  { offset, limit, ...request }: NamedNodeRequest,
  control: Control,
): Promise<FoundNames> {
  const { query, time, labels, typeText, baseNamespace } = request;
  const scope = typeText === undefined ? request.scope : typedScope(snapshot, request.scope, typeText, time, control);
  const wanted = offset + limit + 1;
  const close = (await near?.(wanted, scope ?? undefined)) ?? [];
  const asked = { query, time, labels, scope, limit: wanted, kinds: ['label' as const] };
  const { matches } = await matcher.directHits(snapshot, asked, control);
  const all = [...new Set([...close, ...matches].map(({ entity }) => entity))];
  const shown = all.slice(offset, offset + limit);
  const cards = readCards(snapshot, shown, { time, labels, factsMax: FACTS_MAX, order: 'predicate' }, control);
  const groups = new GroupNames(snapshot, time, baseNamespace);
  const nodes = cards.map((card, at) => ({
    ...card,
    name: card.label ?? localPart(card.iri),
    groupId: groups.of(shown[at] as TermId),
  }));
  return { nodes, truncated: all.length > offset + limit };
}

/** The entities of a scope that have a type whose IRI holds a text. */
function typedScope(
  snapshot: StorageSnapshot,
  scope: IdColumn | null,
  text: string,
  time: TimeSlice,
  control: Control,
): IdColumn {
  const p = snapshot.encode(TYPE);
  const found = new Set<TermId>();
  const request = { graphs: ROOT_ONLY, time, order: 'POSG', columns: ['s', 'o'] } as const;
  const test = new Containment(text);
  for (const batch of p === null ? [] : readRows(snapshot, { ...request, pattern: { p: exactly(p) } })) {
    const isIn = test.test(snapshot, batch.column('o'), batch.rows, 'iris');
    for (let row = 0; row < batch.rows; row++) {
      const id = batch.id('s', row);
      if (isIn[row] === 1 && (scope === null || holds(scope, id))) found.add(id);
    }
    throwIfStopped(control, 'the search');
  }
  return idSet(found);
}

class GroupNames {
  readonly #generatedBy: TermId | null;
  readonly #groupId: TermId | null;

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly time: TimeSlice,
    baseNamespace: string,
  ) {
    this.#generatedBy = snapshot.encode(GENERATED_BY);
    this.#groupId = snapshot.encode(terms.namedNode(`${baseNamespace}groupId`));
  }

  of(entity: TermId): string | null {
    const [p, groupId] = [this.#generatedBy, this.#groupId];
    if (p === null || groupId === null) return null;
    const names = [...this.#values(entity, p)].flatMap((episode) => {
      const ids = [...this.#values(episode, groupId)];
      return decodeIds(this.snapshot, ids).filter(({ termType }: Term) => termType === 'Literal');
    });
    return names.map(({ value }) => value).sort(compareCodePoints)[0] ?? null;
  }

  #values(s: TermId, p: TermId): Generator<TermId> {
    return readIds(this.snapshot, { graphs: ROOT_ONLY, pattern: patternOf({ s, p }), time: this.time }, 'o');
  }
}
