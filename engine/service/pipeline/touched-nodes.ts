/**
 * The nodes that a write touches, by the graph that it touches them in, with the classes that they are asserted to be of
 * there or in ROOT once it is written (semantics of reasoning, 5.3). No class above another counts.
 */

import { META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { RDF_NS, type Term, terms } from '../../rdf/terms.js';
import { ROOT_ID, TAG, type TermId } from '../../storage/ids/layout.js';
import { columnOf, decodeIds, exactly, idIn } from '../../storage/seam/rows.js';
import {
  CURRENT,
  type GraphSet,
  type IdColumn,
  type ProbeCursor,
  type StorageSnapshot,
} from '../../storage/seam/scan.js';
import type { StagedWrite } from '../gates/gates.js';

const TYPE = terms.namedNode(`${RDF_NS}type`);
/** Shares on their way in are judged when they are promoted. */
const SHARE = /^urn:svc:(share|quarantine):/;
/** What follows from a graph is governed as the graph. */
const COMPANION = /#inferred$/;

/** What a write has changed, and the state that it has left. */
export interface Written extends Pick<StagedWrite, 'after' | 'changes' | 'copies'> {
  /** Where the rows of graphs are that are not stored; absent = all are. */
  readonly archives?: ReadonlyMap<TermId, GraphSet> | undefined;
}

/** A graph that a write changes and gates judge. */
export interface JudgedGraph {
  readonly id: TermId;
  /** IRI, or `_:label`. */
  readonly name: string;
}

/** Those that a write changes, but for what the service keeps for itself, shares on their way in, and copies. */
export function judgedGraphs({ after, changes, copies }: Written): readonly JudgedGraph[] {
  const ids = changes.graphs.map(({ graph }) => graph);
  return decodeIds(after, ids).flatMap(({ termType, value }, at) => {
    const isOurs = value === META_GRAPH_IRI || value === REGISTRY_GRAPH_IRI || SHARE.test(value) || copies?.has(value);
    return isOurs ? [] : [{ id: ids[at] as TermId, name: termType === 'BlankNode' ? `_:${value}` : value }];
  });
}

export const governedAs = (graph: string): string => graph.replace(COMPANION, '');

/** A node that is touched, and the classes of it that somebody wants to know of. */
export interface TouchedNode {
  readonly node: Term;
  readonly id: TermId;
  /** IRIs, in the order of their characters. */
  readonly classes: readonly string[];
}

/** Those whose classes `wants` knows, in the order of their names; blank nodes only where `withBlanks` is set. */
export function touchedNodes(
  write: Written,
  graph: TermId,
  wants: (of: string) => boolean,
  { withBlanks = false } = {},
): readonly TouchedNode[] {
  const { after } = write;
  const type = after.encode(TYPE, true);
  if (type === null) return [];
  const probes = [...new Set([graph, ROOT_ID])].map((one) =>
    typeProbe(after, write.archives?.get(one) ?? { kind: 'one', graph: one }, type),
  );
  const classes = new WantedClasses(after, wants);
  const found = new Map<TermId, Set<string>>();
  try {
    for (const { rows, columns } of write.changes.rows(graph)) {
      const subjects = distinctNodes(columns.s, rows, withBlanks).filter((s) => !found.has(s));
      if (subjects.length === 0) continue;
      const column = columnOf(subjects);
      for (const probe of probes) {
        probe.begin([column], subjects.length);
        for (let batch = probe.next(); batch !== null; batch = probe.next()) {
          const o = batch.columns.o as IdColumn;
          for (let row = 0; row < batch.rows; row++) {
            const of = classes.name(idIn(o, row));
            if (of === null) continue;
            const s = subjects[batch.keys[row] as number] as TermId;
            found.set(s, (found.get(s) ?? new Set()).add(of));
          }
        }
      }
    }
  } finally {
    for (const probe of probes) probe.close();
  }
  const nodes = decodeIds(after, [...found.keys()]);
  return [...found]
    .map(([id, of], at) => ({ node: nodes[at] as Term, id, classes: of.size === 1 ? [...of] : [...of].sort() }))
    .sort(({ node: one }, { node: other }) => (one.value < other.value ? -1 : one.value > other.value ? 1 : 0));
}

function typeProbe(snapshot: StorageSnapshot, graphs: GraphSet, type: TermId): ProbeCursor {
  return snapshot.probe({
    graphs,
    pattern: { p: exactly(type) },
    order: 'SPOG',
    time: CURRENT,
    keys: ['s'],
    columns: ['o'],
  });
}

/** Names of classes by id, each looked up once; null for those that nobody wants to know of. */
class WantedClasses {
  readonly #known = new Map<TermId, string | null>();

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly wants: (of: string) => boolean,
  ) {}

  name(id: TermId): string | null {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const { termType, value } = decodeIds(this.snapshot, [id])[0] as Term;
    const name = termType === 'NamedNode' && this.wants(value) ? value : null;
    this.#known.set(id, name);
    return name;
  }
}

/** Ascending, as a probe wants them. */
function distinctNodes(column: IdColumn, rows: number, withBlanks: boolean): TermId[] {
  const found = new Set<TermId>();
  for (let row = 0; row < rows; row++) {
    const tag = (column[2 * row + 1] as number) >>> 24;
    if (tag === TAG.iri || (withBlanks && tag === TAG.blank)) found.add(idIn(column, row));
  }
  return [...found].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
}
