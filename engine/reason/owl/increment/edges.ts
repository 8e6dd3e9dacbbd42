/**
 * A transitive property as an increment sees it: its edges, which are facts that are asserted or follow from asserted ones
 * by steps, and its closure as it stands. Both are read from the store, node by node, in both directions. Only facts with
 * IRIs as objects count.
 */

import type { TermId } from '../../../storage/ids/layout.js';
import { exactly, ROOT_ONLY, txIn } from '../../../storage/seam/rows.js';
import { CURRENT, type IdColumn, type ProbeCursor, type StorageSnapshot } from '../../../storage/seam/scan.js';
import type { Ontology } from '../ontology.js';
import { KnownIris, type Ledger } from './ledger.js';

/** The properties whose facts are edges of a transitive one. */
export interface EdgeSources {
  /** Facts of these are edges as they are; of those in `ofIris` only where the subject is an IRI. */
  readonly straight: ReadonlySet<number>;
  readonly ofIris: ReadonlySet<number>;
  /** Facts of these are edges from object to subject. */
  readonly flipped: ReadonlySet<number>;
}

/** Found once for each transitive property of an ontology. */
export function edgeSources(ontology: Ontology, property: number): EdgeSources {
  const straight = new Set([property]);
  for (const one of straight) for (const from of ontology.stepsInto(one)) if (!from.flipped) straight.add(from.to);
  const reached = new Set([2 * property]);
  for (const one of reached) {
    for (const from of ontology.stepsInto(one >>> 1))
      reached.add(2 * from.to + (from.flipped ? 1 - (one & 1) : one & 1));
  }
  const inDirection = (direction: number) =>
    [...reached].filter((one) => (one & 1) === direction).map((one) => one >>> 1);
  return {
    straight,
    ofIris: new Set(inDirection(0).filter((one) => !straight.has(one))),
    flipped: new Set(inDirection(1)),
  };
}

/** Which way a walk goes: to objects of facts, or back to their subjects. */
export type Way = 'forward' | 'back';

/** Nodes that lead nowhere have this. */
const NONE: readonly number[] = [];

export class EdgeReader {
  readonly #ledger: Ledger;
  readonly #snapshot: StorageSnapshot;
  readonly #sources: EdgeSources;
  readonly #ids: KnownIris;
  readonly #kept: Readonly<Record<Way, Map<number, readonly number[]>>> = { forward: new Map(), back: new Map() };
  readonly #probes = new Map<string, ProbeCursor>();

  constructor(ledger: Ledger, snapshot: StorageSnapshot, sources: EdgeSources) {
    this.#ledger = ledger;
    this.#snapshot = snapshot;
    this.#sources = sources;
    this.#ids = new KnownIris(snapshot, ledger.ontology.properties);
  }

  /** The nodes that edges lead to from a node, or come from. */
  of(node: number, way: Way): readonly number[] {
    const known = this.#kept[way].get(node);
    if (known !== undefined) return known;
    const found = this.#read(node, way);
    this.#kept[way].set(node, found);
    return found;
  }

  #read(node: number, way: Way): readonly number[] {
    const { straight, ofIris, flipped } = this.#sources;
    const ledger = this.#ledger;
    const nodeIsIri = ledger.isIri(node);
    // The object of an edge is an IRI; the subject of one that was turned, too, having been an object.
    if (way === 'back' && !nodeIsIri) return NONE;
    const found = new Set<number>();
    const take = (property: number, asSubject: boolean, fits: (other: number) => boolean): void => {
      for (const other of this.#others(property, node, asSubject)) if (fits(other)) found.add(other);
    };
    const isIri = (other: number): boolean => ledger.isIri(other);
    const isAny = (): boolean => true;
    if (way === 'forward') {
      for (const one of straight) take(one, true, isIri);
      if (nodeIsIri) for (const one of ofIris) take(one, true, isIri);
      if (nodeIsIri) for (const one of flipped) take(one, false, isIri);
    } else {
      for (const one of straight) take(one, false, isAny);
      for (const one of ofIris) take(one, false, isIri);
      for (const one of flipped) take(one, true, isIri);
    }
    return [...found];
  }

  /** The other ends of asserted facts of a property with a node at one end. */
  #others(property: number, node: number, asSubject: boolean): readonly number[] {
    const id = this.#ids.id(property);
    if (id === null || (asSubject && !this.#ledger.isResource(node))) return NONE;
    const key = `${property}${asSubject ? '>' : '<'}`;
    let probe = this.#probes.get(key);
    if (probe === undefined) {
      probe = probeOf(this.#snapshot, id, asSubject);
      this.#probes.set(key, probe);
    }
    return readOthers(this.#ledger, probe, node, asSubject, (tx) => !this.#ledger.isDerived(tx));
  }

  close(): void {
    for (const probe of this.#probes.values()) probe.close();
  }
}

/** The closure of a transitive property as the store has it: asserted and derived facts alike. */
export class ClosureReader {
  readonly #ledger: Ledger;
  readonly #probes: Readonly<Record<Way, ProbeCursor>> | null;
  readonly #kept: Readonly<Record<Way, Map<number, readonly number[]>>> = { forward: new Map(), back: new Map() };

  constructor(ledger: Ledger, snapshot: StorageSnapshot, property: number) {
    this.#ledger = ledger;
    const id = new KnownIris(snapshot, ledger.ontology.properties).id(property);
    this.#probes = id === null ? null : { forward: probeOf(snapshot, id, true), back: probeOf(snapshot, id, false) };
  }

  of(node: number, way: Way): readonly number[] {
    const known = this.#kept[way].get(node);
    if (known !== undefined) return known;
    const ledger = this.#ledger;
    const isEnd = way === 'back' ? !ledger.isIri(node) : !ledger.isResource(node);
    const all =
      this.#probes === null || isEnd
        ? NONE
        : readOthers(ledger, this.#probes[way], node, way === 'forward', () => true);
    const found = way === 'forward' ? all.filter((other) => ledger.isIri(other)) : all;
    this.#kept[way].set(node, found);
    return found;
  }

  close(): void {
    if (this.#probes === null) return;
    this.#probes.forward.close();
    this.#probes.back.close();
  }
}

function probeOf(snapshot: StorageSnapshot, property: TermId, asSubject: boolean): ProbeCursor {
  return snapshot.probe({
    graphs: ROOT_ONLY,
    pattern: { p: exactly(property) },
    order: asSubject ? 'SPOG' : 'POSG',
    time: CURRENT,
    keys: asSubject ? ['s'] : ['o'],
    columns: [asSubject ? 'o' : 's', 'txFrom'],
  });
}

function readOthers(
  ledger: Ledger,
  probe: ProbeCursor,
  node: number,
  asSubject: boolean,
  counts: (tx: number) => boolean,
): readonly number[] {
  const found: number[] = [];
  probe.begin([ledger.column([node])], 1);
  ledger.spend(1);
  for (let batch = probe.next(); batch !== null; batch = probe.next()) {
    const others = batch.columns[asSubject ? 'o' : 's'] as IdColumn;
    const txFrom = batch.columns.txFrom as IdColumn;
    ledger.spend(batch.rows);
    for (let row = 0; row < batch.rows; row++) {
      if (!counts(txIn(txFrom, row))) continue;
      found.push(ledger.nodes.number(others[2 * row] as number, others[2 * row + 1] as number));
    }
  }
  return found;
}
