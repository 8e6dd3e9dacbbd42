/**
 * What a write changes among the types of the nodes that it touches. A type follows from an asserted type of the node, or
 * from there being any fact of a property with a domain or range; so
 * 1. what came gives types, and needs no look at anything but whether they stand already;
 * 2. what went may have taken a type away that stands as derived; that is looked for again, among the asserted types of
 *    the node first, then among the properties of its facts.
 *
 * The snapshot shows the write with all that follows among linked properties.
 */

import type { TermId } from '../../../storage/ids/layout.js';
import { exactly, patternOf, ROOT_ONLY, txIn } from '../../../storage/seam/rows.js';
import {
  BATCH_ROWS,
  CURRENT,
  type IdColumn,
  type ProbeCursor,
  type StorageSnapshot,
} from '../../../storage/seam/scan.js';
import type { Ontology } from '../ontology.js';
import { TermIndexes } from '../term-indexes.js';
import { KnownIris, type Ledger } from './ledger.js';

type End = 'domain' | 'range';

interface PropertyEnd {
  readonly property: number;
  readonly end: End;
}

/** Of a node with more facts each property that matters is looked for by itself. */
const FACTS_READ = BATCH_ROWS;

/** Why the types of a node may have changed. */
interface Reasons {
  /** Classes that it has been given. */
  readonly given: Set<number>;
  /** Classes that it was given and may have lost. */
  readonly lost: Set<number>;
  /** Facts that went, by property and end. */
  readonly went: Map<string, PropertyEnd>;
  /** Classes that it may have been given: they are looked for. */
  readonly doubted: Set<number>;
}

export interface TypeChange {
  readonly missing: readonly (readonly [node: number, of: number])[];
  readonly surplus: readonly (readonly [node: number, of: number])[];
}

export class TypeReasons {
  readonly #ledger: Ledger;
  readonly #ontology: Ontology;
  readonly #reasons = new Map<number, Reasons>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    this.#ontology = ledger.ontology;
  }

  /** A fact is there that was not, or the other way. */
  fact(property: number, s: number, o: number, came: boolean): void {
    this.#end(property, s, 'domain', came);
    if (this.#ledger.isIri(o)) this.#end(property, o, 'range', came);
  }

  #end(property: number, node: number, end: End, came: boolean): void {
    const classes = end === 'domain' ? this.#ontology.domainsOf(property) : this.#ontology.rangesOf(property);
    if (classes.length === 0) return;
    const reasons = this.#of(node);
    if (came) for (const of of classes) reasons.given.add(of);
    else reasons.went.set(`${end} ${property}`, { property, end });
  }

  /** A fact was opened or closed, and it is not known which. */
  doubt(property: number, s: number, o: number): void {
    const [domains, ranges] = [this.#ontology.domainsOf(property), this.#ontology.rangesOf(property)];
    if (domains.length > 0) for (const of of domains) this.#of(s).doubted.add(of);
    if (ranges.length > 0 && this.#ledger.isIri(o)) for (const of of ranges) this.#of(o).doubted.add(of);
  }

  /** An asserted type came; or one went, or it is not known which. */
  type(node: number, of: number, came: boolean): void {
    const { given, lost } = this.#of(node);
    (came ? given : lost).add(of);
  }

  #of(node: number): Reasons {
    let reasons = this.#reasons.get(node);
    if (reasons === undefined) {
      reasons = { given: new Set(), lost: new Set(), went: new Map(), doubted: new Set() };
      this.#reasons.set(node, reasons);
    }
    return reasons;
  }

  get isEmpty(): boolean {
    return this.#reasons.size === 0;
  }

  [Symbol.iterator](): IterableIterator<[number, Reasons]> {
    return this.#reasons.entries();
  }
}

const NO_CLASSES: ReadonlySet<number> = new Set();

export class TypeFollower {
  readonly #ledger: Ledger;
  readonly #ontology: Ontology;
  readonly #snapshot: StorageSnapshot;
  readonly #indexes: TermIndexes;
  readonly #properties: KnownIris;
  readonly #type: TermId | null;
  readonly #types: ProbeCursor | null;
  readonly #facts: Record<End, ProbeCursor | null> = { domain: null, range: null };
  readonly #ends = new Map<string, ProbeCursor>();

  constructor(ledger: Ledger, snapshot: StorageSnapshot) {
    this.#ledger = ledger;
    this.#ontology = ledger.ontology;
    this.#snapshot = snapshot;
    this.#indexes = new TermIndexes(ledger.ontology, snapshot);
    this.#properties = new KnownIris(snapshot, ledger.ontology.properties);
    this.#type = this.#properties.id(ledger.ontology.typeProperty);
    this.#types =
      this.#type === null
        ? null
        : snapshot.probe({
            graphs: ROOT_ONLY,
            pattern: patternOf({ p: this.#type }),
            order: 'SPOG',
            time: CURRENT,
            keys: ['s'],
            columns: ['o', 'txFrom'],
          });
  }

  find(reasons: TypeReasons): TypeChange {
    const missing: [number, number][] = [];
    const surplus: [number, number][] = [];
    for (const [node, { given, lost, went, doubted }] of reasons) {
      const wanted = this.#withAncestors(given);
      const doubtful = this.#withAncestors(new Set([...lost, ...doubted]));
      const taken = this.#withAncestors(new Set([...went.values()].flatMap((one) => [...this.#given(one)])));
      const { asserted, derived } = this.#typesOf(node);
      for (const of of taken) if (derived.has(of)) doubtful.add(of);
      for (const of of wanted) doubtful.delete(of);
      if (doubtful.size > 0) for (const of of this.#supported(node, doubtful, asserted)) wanted.add(of);
      for (const of of wanted) if (!asserted.has(of) && !derived.has(of)) missing.push([node, of]);
      for (const of of doubtful) if (!wanted.has(of) && derived.has(of)) surplus.push([node, of]);
    }
    return { missing, surplus };
  }

  /** The classes that any fact of a property gives the node at one end. */
  #given({ property, end }: PropertyEnd): readonly number[] {
    return end === 'domain' ? this.#ontology.domainsOf(property) : this.#ontology.rangesOf(property);
  }

  #withAncestors(classes: ReadonlySet<number>): Set<number> {
    const all = new Set<number>();
    for (const one of classes) for (const of of this.#ontology.ancestorsOf(one)) all.add(of);
    this.#ledger.spend(all.size);
    return all;
  }

  /** Those of some classes that a node has by its asserted types, or by any of its facts. */
  #supported(node: number, doubtful: ReadonlySet<number>, asserted: ReadonlySet<number>): Set<number> {
    const found = new Set<number>();
    const take = (of: number): void => {
      for (const one of this.#ontology.ancestorsOf(of)) if (doubtful.has(one)) found.add(one);
    };
    for (const of of asserted) take(of);
    for (const end of this.#ledger.isIri(node) ? (['domain', 'range'] as const) : (['domain'] as const)) {
      if (found.size === doubtful.size) break;
      const { properties, areAll } = this.#propertiesAt(node, end);
      for (const property of properties) this.#given({ property, end }).forEach(take);
      if (areAll) continue;
      for (const property of this.#ontology.propertiesWith(end)) {
        if (properties.has(property)) continue;
        const gives = this.#given({ property, end }).filter((of) =>
          this.#ontology.ancestorsOf(of).some((one) => doubtful.has(one) && !found.has(one)),
        );
        this.#ledger.spend(1);
        if (gives.length > 0 && this.#has(node, property, end)) gives.forEach(take);
      }
    }
    return found;
  }

  /** Properties whose facts have a node at one end: all of them, or those of its first facts where there are many. */
  #propertiesAt(node: number, end: End): { readonly properties: ReadonlySet<number>; readonly areAll: boolean } {
    const position = end === 'domain' ? 's' : 'o';
    this.#facts[end] ??= this.#snapshot.probe({
      graphs: ROOT_ONLY,
      pattern: {},
      order: end === 'domain' ? 'SPOG' : 'OSPG',
      time: CURRENT,
      keys: [position],
      columns: ['p'],
    });
    const probe = this.#facts[end];
    const properties = new Set<number>();
    probe.begin([this.#ledger.column([node])], 1);
    let read = 0;
    for (let batch = probe.next(); batch !== null; batch = probe.next()) {
      const p = batch.columns.p as IdColumn;
      for (let row = 0; row < batch.rows; row++) {
        properties.add(this.#indexes.property(p[2 * row] as number, p[2 * row + 1] as number));
      }
      read += batch.rows;
      if (read >= FACTS_READ) break;
    }
    this.#ledger.spend(1 + read);
    properties.delete(-1);
    return { properties, areAll: read < FACTS_READ };
  }

  #typesOf(node: number): { readonly asserted: ReadonlySet<number>; readonly derived: ReadonlySet<number> } {
    const [asserted, derived] = [new Set<number>(), new Set<number>()];
    if (this.#types === null || !this.#ledger.isResource(node)) return { asserted: NO_CLASSES, derived: NO_CLASSES };
    this.#types.begin([this.#ledger.column([node])], 1);
    this.#ledger.spend(1);
    for (let batch = this.#types.next(); batch !== null; batch = this.#types.next()) {
      const { o, txFrom } = batch.columns as { readonly o: IdColumn; readonly txFrom: IdColumn };
      this.#ledger.spend(batch.rows);
      for (let row = 0; row < batch.rows; row++) {
        const of = this.#indexes.class(o[2 * row] as number, o[2 * row + 1] as number);
        if (of < 0) continue;
        if (this.#ledger.isDerived(txIn(txFrom, row))) derived.add(of);
        else asserted.add(of);
      }
    }
    return { asserted, derived };
  }

  /** Whether a node is the subject, or the object, of any fact of a property. */
  #has(node: number, property: number, end: End): boolean {
    const id = this.#properties.id(property);
    if (id === null) return false;
    this.#ledger.spend(1);
    const key = `${end} ${property}`;
    let probe = this.#ends.get(key);
    if (probe === undefined) {
      probe = this.#snapshot.probe({
        graphs: ROOT_ONLY,
        pattern: { p: exactly(id) },
        order: end === 'domain' ? 'SPOG' : 'POSG',
        time: CURRENT,
        keys: [end === 'domain' ? 's' : 'o'],
        columns: ['p'],
      });
      this.#ends.set(key, probe);
    }
    probe.begin([this.#ledger.column([node])], 1);
    for (let batch = probe.next(); batch !== null; batch = probe.next()) if (batch.rows > 0) return true;
    return false;
  }

  close(): void {
    this.#types?.close();
    for (const probe of [...Object.values(this.#facts), ...this.#ends.values()]) probe?.close();
  }
}
