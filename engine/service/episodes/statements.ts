/** The statements of an episode (wire shapes, 6.3) as columns of ids, terms that are new interned on the stage. */

import { getOrInsert } from '../../base/maps.js';
import { SVC_NS } from '../../query/registry/system-graphs.js';
import { type NamedNode, PROV, RDF_NS, RDFS, type Term, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../../storage/seam/engine.js';
import type { CheckedEdge, CheckedEpisode } from './check-episode.js';
import { columnOf } from './label-lookups.js';
import { fnv64 } from './names.js';

const word = (namespace: string, name: string): NamedNode => terms.namedNode(namespace + name);

const TYPE = word(RDF_NS, 'type');
const LABEL = word(RDFS, 'label');
export const COMMENT = word(RDFS, 'comment');
const ACTIVITY = word(PROV, 'Activity');
export const ASSOCIATED_WITH = word(PROV, 'wasAssociatedWith');
const GENERATED_BY = word(PROV, 'wasGeneratedBy');
const DISTINCT_FROM = word(SVC_NS, 'distinctFrom');
const CONFIDENCE = word(SVC_NS, 'confidence');
const STATEMENT = word(RDF_NS, 'Statement');
const SUBJECT = word(RDF_NS, 'subject');
const PREDICATE = word(RDF_NS, 'predicate');
const OBJECT = word(RDF_NS, 'object');

export const groupIdOf = (baseNamespace: string): NamedNode => word(baseNamespace, 'groupId');
export const contentHashOf = (baseNamespace: string): NamedNode => word(baseNamespace, 'contentHash');

const ROWS_AT_FIRST = 64;
type Position = 's' | 'p' | 'o';

/** Columns that grow. */
class Statements {
  #columns: Record<Position, BigUint64Array>;
  /** Ids of predicates, which come again and again. */
  readonly #predicates = new Map<string, TermId>();
  count = 0;

  constructor(private readonly stage: Stage) {
    this.#columns = {
      s: new BigUint64Array(ROWS_AT_FIRST),
      p: new BigUint64Array(ROWS_AT_FIRST),
      o: new BigUint64Array(ROWS_AT_FIRST),
    };
  }

  add(subject: TermId, predicate: NamedNode, object: Term | TermId): void {
    if (this.count === this.#columns.s.length) this.#grow();
    const { s, p, o } = this.#columns;
    s[this.count] = subject;
    p[this.count] = this.#predicate(predicate);
    o[this.count] = typeof object === 'bigint' ? object : this.stage.intern(object);
    this.count++;
  }

  intern(term: Term): TermId {
    return this.stage.intern(term);
  }

  columns(graph: TermId): QuadColumns {
    const part = (ids: BigUint64Array) => columnOf(ids.subarray(0, this.count));
    const { s, p, o } = this.#columns;
    const g = new BigUint64Array(this.count).fill(graph);
    return { rows: this.count, s: part(s), p: part(p), o: part(o), g: columnOf(g) };
  }

  #predicate(predicate: NamedNode): TermId {
    return getOrInsert(this.#predicates, predicate.value, () => this.stage.intern(predicate));
  }

  #grow(): void {
    const grown = (ids: BigUint64Array): BigUint64Array => {
      const larger = new BigUint64Array(2 * ids.length);
      larger.set(ids);
      return larger;
    };
    const { s, p, o } = this.#columns;
    this.#columns = { s: grown(s), p: grown(p), o: grown(o) };
  }
}

/** `iris`: of each name of the episode. */
export function statementsOf(
  stage: Stage,
  episode: CheckedEpisode,
  activityIri: string,
  iris: readonly string[],
  graph: TermId,
): QuadColumns {
  const statements = new Statements(stage);
  const activity = stage.intern(terms.namedNode(activityIri));
  addActivity(statements, episode, activity);
  const ids = BigUint64Array.from(iris, (iri) => stage.intern(terms.namedNode(iri)));
  for (const at of episode.nodes.keys()) addNode(statements, episode, at, ids[at] as TermId, activity);
  for (const edge of episode.edges) addEdge(statements, episode, edge, ids);
  return statements.columns(graph);
}

function addActivity(statements: Statements, episode: CheckedEpisode, activity: TermId): void {
  const { name, body, source, groupId, contentHash, baseNamespace } = episode;
  const text = (predicate: NamedNode, value: string | null): void => {
    if (value !== null) statements.add(activity, predicate, terms.literal(value));
  };
  statements.add(activity, TYPE, ACTIVITY);
  text(LABEL, name);
  text(COMMENT, body);
  text(ASSOCIATED_WITH, source);
  text(groupIdOf(baseNamespace), groupId);
  text(contentHashOf(baseNamespace), contentHash);
}

function addNode(statements: Statements, episode: CheckedEpisode, at: number, node: TermId, activity: TermId): void {
  const { type, description, properties, distinctFrom } = episode.nodes[at] as CheckedEpisode['nodes'][number];
  if (type !== null) statements.add(node, TYPE, type);
  statements.add(node, LABEL, terms.literal(episode.names[at] as string));
  if (description !== null) statements.add(node, COMMENT, terms.literal(description));
  statements.add(node, GENERATED_BY, activity);
  for (const iri of distinctFrom) statements.add(node, DISTINCT_FROM, iri);
  for (const { predicate, values } of properties) for (const value of values) statements.add(node, predicate, value);
}

function addEdge(
  statements: Statements,
  { names, baseNamespace }: CheckedEpisode,
  edge: CheckedEdge,
  ids: BigUint64Array,
): void {
  const [source, target] = [ids[edge.source] as TermId, ids[edge.target] as TermId];
  statements.add(source, edge.relation, target);
  if (edge.confidence === null) return;
  const hash = fnv64(`${names[edge.source]}|${edge.token}|${names[edge.target]}`);
  const statement = statements.intern(terms.namedNode(`${baseNamespace}stmt_${hash}`));
  statements.add(statement, TYPE, STATEMENT);
  statements.add(statement, SUBJECT, source);
  statements.add(statement, PREDICATE, edge.relation);
  statements.add(statement, OBJECT, target);
  statements.add(statement, CONFIDENCE, edge.confidence);
}
