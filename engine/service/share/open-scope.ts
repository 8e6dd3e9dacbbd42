/** The scope of a share (semantics text 6.1 and 8.1) as its triples, from one state of the store. */

import { SvcError, showValue } from '../../base/errors.js';
import type { AnswerLabels } from '../../graphs/labels/answer-labels.js';
import { STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import { homeOf } from '../../query/registry/freeze-rows.js';
import { type Quad, ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { ShareInput } from '../../share/build-share.js';
import { GroundRows, type LineBatch, NO_LINES, tripleLines } from '../../share/ground-lines.js';
import type { ShareScope } from '../../share/manifest.js';
import { anchorOf, groupMembers, memberLines } from '../../share/read-triples.js';
import type { TxId } from '../../storage/ids/layout.js';
import { ROOT_ONLY } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { graphOf } from '../facts/entity.js';
import type { EngineQuery, QueryAnswer } from '../reads/query.js';
import type { StoreSnapshot } from '../reads/snapshot.js';

/** What a share needs of a store. */
export interface SharingStore {
  readonly path: string;
  /** Null for a file of an earlier version that was never opened for writing since. */
  readonly storeId: string | null;
  readonly baseNamespace: string;
  renewingSnapshot(): StoreSnapshot;
  answerQuery(text: string, query: EngineQuery): Promise<QueryAnswer>;
}

/** At most one of the three; none = ROOT. */
export interface ScopeRequest {
  readonly graph?: string | undefined;
  readonly groupId?: string | undefined;
  readonly construct?: string | undefined;
}

export interface ShapesRequest {
  /** Names of stored sets; absent = all of them. */
  readonly shapeSets?: readonly string[] | undefined;
  readonly noShapes?: boolean | undefined;
}

export interface OpenScope {
  readonly input: ShareInput;
  /** The state that it is of. */
  readonly tx: TxId;
  /** Composed of the graphs that it is read from. */
  readonly labels: AnswerLabels;
  close(): void;
}

const QUADS_TOGETHER = 1024;

export async function openScope(
  store: SharingStore,
  request: ScopeRequest & ShapesRequest,
  query: EngineQuery,
): Promise<OpenScope> {
  const identity = store.storeId;
  if (identity === null) {
    throw new SvcError('invalid_request', 'the store has no identity yet, which a share names', {
      hint: 'open it for writing once, for instance by svc fold',
    });
  }
  checkOneScope(request);
  if (request.construct !== undefined) return openConstruct(store, request.construct, { request, identity, query });
  const scope = scopeOf(request);
  const snapshot = store.renewingSnapshot();
  try {
    const { storage } = snapshot;
    const input = {
      ...triplesOf(storage, scope, store.baseNamespace),
      shapes: chosenShapes(storage, request),
      store: identity,
    };
    const labels = await labelsOf(store, scope, query);
    return { input, tx: storage.tx, labels, close: () => snapshot.close() };
  } catch (error) {
    snapshot.close();
    throw error;
  }
}

function checkOneScope({ graph, groupId, construct }: ScopeRequest): void {
  const given = Object.entries({ graph, group_id: groupId, construct }).filter(([, value]) => value !== undefined);
  if (given.length > 1) {
    const names = given.map(([name]) => name).join(', ');
    throw new SvcError('invalid_request', `a share has one scope: graph, group_id or construct; given: ${names}`);
  }
}

function scopeOf({ graph, groupId }: ScopeRequest): ShareScope {
  if (groupId !== undefined) return { kind: 'group', value: groupId };
  if (graph === undefined || graph === ROOT_GRAPH_IRI) return { kind: 'root', value: null };
  return { kind: 'graph', value: graph };
}

type Read = Pick<ShareInput, 'scope' | 'triples' | 'distinct' | 'anchorTx'>;

function triplesOf(storage: StorageSnapshot, scope: ShareScope, baseNamespace: string): Read {
  if (scope.kind === 'group') {
    const members = groupMembers(storage, scope.value as string, baseNamespace);
    const triples = memberLines(storage, members);
    return { scope, triples, distinct: true, anchorTx: anchorOf(storage, ROOT_ONLY, members) };
  }
  const graphs = homeOf(storage, graphOf(storage, scope.value ?? undefined));
  return {
    scope,
    triples: tripleLines(new GroundRows(storage, graphs)),
    distinct: true,
    anchorTx: anchorOf(storage, graphs),
  };
}

/** What is asked of the graphs of a query is asked of those of a scope; a floor is no matter of a share of a graph. */
async function labelsOf(store: SharingStore, { kind, value }: ShareScope, query: EngineQuery): Promise<AnswerLabels> {
  const scope = { ...query.scope, graph: kind === 'graph' ? (value as string) : undefined };
  const answer = await store.answerQuery('ASK {}', { ...query, scope, floors: undefined });
  return answer.labels;
}

interface Asked {
  readonly request: ShapesRequest;
  readonly identity: string;
  readonly query: EngineQuery;
}

async function openConstruct(
  store: SharingStore,
  text: string,
  { request, identity, query }: Asked,
): Promise<OpenScope> {
  const answer = await store.answerQuery(text, query);
  if (answer.kind !== 'graph') {
    if (answer.kind === 'select') answer.close();
    const form = answer.kind.toUpperCase();
    throw new SvcError('invalid_request', `'construct' is a query of the form ${form}; expected CONSTRUCT or DESCRIBE`);
  }
  try {
    const { storage } = answer.snapshot;
    const input: ShareInput = {
      scope: { kind: 'construct', value: text },
      triples: together(answer.quads()),
      distinct: false,
      anchorTx: null,
      shapes: chosenShapes(storage, request),
      store: identity,
    };
    return { input, tx: storage.tx, labels: answer.labels, close: () => answer.close() };
  } catch (error) {
    answer.close();
    throw error;
  }
}

async function* together(quads: AsyncIterable<Quad>): AsyncGenerator<LineBatch> {
  let others: Quad[] = [];
  for await (const quad of quads) {
    others.push(quad);
    if (others.length < QUADS_TOGETHER) continue;
    yield { lines: NO_LINES, others };
    others = [];
  }
  if (others.length > 0) yield { lines: NO_LINES, others };
}

function chosenShapes(
  storage: StorageSnapshot,
  { shapeSets: shapes, noShapes = false }: ShapesRequest,
): ShareInput['shapes'] {
  if (noShapes && shapes !== undefined) {
    throw new SvcError(
      'invalid_request',
      "both sets of shapes and none ('no_shapes') are asked for; pass only one of the two",
    );
  }
  if (noShapes) return [];
  if (shapes === undefined) return STORED_SHAPES.all(storage);
  return [...new Set(shapes)].map((name) => {
    const set = STORED_SHAPES.one(storage, name);
    if (set === null) {
      throw new SvcError('not_found_in_store', `unknown shape set: ${showValue(name)}`, {
        hint: 'svc shapes list names those that are loaded',
      });
    }
    return set;
  });
}
