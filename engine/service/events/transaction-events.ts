/**
 * The derived events of one transaction, from any of them on. Their order is fixed: new classes and new predicates by id,
 * entities by subject and graph, edges by subject, predicate, object, graph. What was found out for one page is kept for
 * the next one of the same transaction.
 */

import type { Control } from '../../base/control.js';
import { overlaidIds } from '../../query/registry/graph-rows.js';
import { quietIds } from '../../query/registry/system-graphs.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TxId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { entityText } from '../facts/entity.js';
import { type ChangedTransaction, changedTransaction, type TransactionSize } from './changed-rows.js';
import { TYPE } from './describe-write.js';
import { Earlier } from './earlier.js';
import type { EventItem } from './event-item.js';
import { classOfRow, type FirstUse, firstUses, predicateOfRow } from './first-use-list.js';
import { KIND, type Kind } from './kinds.js';
import { columnOf } from './node-keys.js';
import { type Found, PagedRows } from './paged-rows.js';
import { Preexisting } from './preexisting.js';

/** An event without its place in the log. */
export type Bare = Pick<EventItem, 'type' | 'subject' | 'payload'>;

export interface EventRange {
  readonly kind: Kind;
  /** Among the events of the kind, from 0. */
  readonly index: number;
  readonly count: number;
}

export type SizedTransaction = TransactionSize & { readonly id: TxId };

/** No id has these halves. */
const NO_TYPE: readonly [number, number] = [-1, -1];

/** What is kept between pages of a transaction. */
class Kept {
  readonly preexisting = new Preexisting();
  readonly paged = new PagedRows();
  classes: readonly FirstUse[] | null = null;
  predicates: readonly FirstUse[] | null = null;
  /** Its rows, where they are read as a whole. */
  rows: ChangedTransaction | null = null;

  constructor(readonly tx: TxId) {}
}

export class TransactionEventReader {
  #kept: Kept | null = null;

  /** The events of a range; fewer only behind the last of the kind. */
  read(snapshot: StorageSnapshot, transaction: SizedTransaction, range: EventRange, control: Control): Bare[] {
    if (this.#kept?.tx !== transaction.id) this.#kept = new Kept(transaction.id);
    return new Page(snapshot, transaction, this.#kept, control).read(range);
  }
}

class Page {
  readonly #snapshot: StorageSnapshot;
  readonly #kept: Kept;
  readonly #control: Control;
  readonly #rows: ChangedTransaction;
  readonly #earlier: Earlier;
  readonly #typeHalves: readonly [number, number];

  constructor(snapshot: StorageSnapshot, transaction: SizedTransaction, kept: Kept, control: Control) {
    const quiet = quietIds(snapshot);
    const rows = kept.rows ?? changedTransaction(snapshot, transaction.id, transaction, quiet);
    if (rows.whole) kept.rows = rows;
    const type = snapshot.encode(TYPE, true);
    this.#snapshot = snapshot;
    this.#kept = kept;
    this.#control = control;
    this.#rows = rows;
    this.#earlier = new Earlier(snapshot, transaction.id, [...quiet, ...overlaidIds(snapshot)]);
    this.#typeHalves = type === null ? NO_TYPE : [lowOf(type), highOf(type)];
  }

  read({ kind, index, count }: EventRange): Bare[] {
    switch (kind) {
      case KIND.typeNew:
        return this.#firstUses('type.new', 'type_iri', this.#classes().slice(index, index + count));
      case KIND.predicateNew:
        return this.#firstUses('predicate.new', 'predicate_iri', this.#predicates().slice(index, index + count));
      case KIND.entity:
        return this.#entities(this.#kept.paged.entities(this.#rows, index, count));
      case KIND.edgeAdded:
        return this.#edges('edge.added', this.#edgeRows('assert', index, count));
      case KIND.edgeRetracted:
        return this.#edges('edge.retracted', this.#edgeRows('retract', index, count));
    }
  }

  #classes(): readonly FirstUse[] {
    const type = this.#snapshot.encode(TYPE, true);
    if (type === null) return [];
    this.#kept.classes ??= firstUses(this.#rows, classOfRow(this.#typeHalves), (nodes) =>
      this.#earlier.classes(nodes, type, this.#control),
    );
    return this.#kept.classes;
  }

  #predicates(): readonly FirstUse[] {
    this.#kept.predicates ??= firstUses(this.#rows, predicateOfRow(this.#typeHalves), (nodes) =>
      this.#earlier.predicates(nodes),
    );
    return this.#kept.predicates;
  }

  #edgeRows(op: 'assert' | 'retract', index: number, count: number): Found[] {
    return this.#kept.paged.edges(this.#rows, op, this.#typeHalves, index, count);
  }

  #firstUses(type: string, name: string, found: readonly FirstUse[]): Bare[] {
    const text = this.#texts(found.flatMap(({ node, graph }) => [node, graph]));
    return found.map(({ node, graph }) => ({
      type,
      subject: text(node),
      payload: { graph: text(graph), [name]: text(node) },
    }));
  }

  #entities(found: readonly Found[]): Bare[] {
    const { preexisting } = this.#kept;
    const nodes = found.map(({ s, g }) => ({ node: s, graph: g }));
    preexisting.askSubjects(this.#earlier, nodes, this.#control);
    const text = this.#texts(found.flatMap(({ s, g }) => [s, g]));
    return nodes.map((one) => ({
      type: preexisting.wasSubject(one) ? 'entity.updated' : 'entity.added',
      subject: text(one.node),
      payload: { graph: text(one.graph) },
    }));
  }

  #edges(type: string, found: readonly Found[]): Bare[] {
    const { preexisting } = this.#kept;
    const ends = found.flatMap(({ s, o, g }) => [
      { node: s, graph: g },
      { node: o, graph: g },
    ]);
    preexisting.askMentions(this.#earlier, ends, this.#control);
    const text = this.#texts(found.flatMap(({ s, p, o, g }) => [s, p, o, g]));
    return found.map(({ s, p, o, g }) => ({
      type,
      subject: text(s),
      payload: {
        graph: text(g),
        subject: text(s),
        predicate: text(p),
        object: text(o),
        subject_preexisting: preexisting.wasMentioned({ node: s, graph: g }),
        object_preexisting: preexisting.wasMentioned({ node: o, graph: g }),
      },
    }));
  }

  /** Texts of some nodes, each decoded once. */
  #texts(nodes: readonly number[]): (node: number) => string {
    const distinct = [...new Set(nodes)];
    const decoded = this.#snapshot.decode(columnOf(distinct), distinct.length);
    const texts = new Map(decoded.map((term, at) => [distinct[at] as number, entityText(term)]));
    return (node) => texts.get(node) as string;
  }
}
