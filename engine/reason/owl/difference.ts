/**
 * What a full run has found, against what stands: the counts of each family, the facts to be written, and those that stand
 * and follow no more.
 */

import { highOf, lowOf } from '../../storage/ids/halves.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import type { QuadColumns } from '../../storage/seam/engine.js';
import { columnOf, pickedRows, quadColumns } from '../../storage/seam/rows.js';
import { ASSERTED, type FactTables, STANDING } from './fact-tables.js';
import { FAMILY, type Ontology } from './ontology.js';
import type { PairTable } from './pair-table.js';

/** Distinct entailed facts of each family, asserted ones among them, and what was written. */
export interface MaterializedCounts {
  readonly subclass_inferences: number;
  readonly sub_property_inferences: number;
  readonly equivalent_class_inferences: number;
  readonly equivalent_property_inferences: number;
  readonly inverse_inferences: number;
  readonly symmetric_inferences: number;
  readonly transitive_inferences: number;
  readonly domain_range_inferences: number;
  /** Their sum. */
  readonly total: number;
  readonly asserted: number;
  readonly retracted: number;
}

/** The id of an IRI that a fact to be written needs; a term that is new is made for the stage that it goes to. */
export type Intern = (iri: string) => TermId;

export interface Difference {
  readonly counts: MaterializedCounts;
  /** Facts that follow and do not stand. Needs no snapshot any more. */
  missing(intern: Intern): QuadColumns;
  /** Facts that stand and do not follow. */
  readonly surplus: QuadColumns;
}

export function differenceOf(tables: FactTables, ontology: Ontology): Difference {
  const types = ontology.typeIsLinked ? null : new NodeTypes(tables, ontology);
  const surplus = compareStanding(tables, ontology, types);
  const found: Record<number, number> = {};
  for (const family of Object.values(FAMILY)) found[family] = 0;
  const add = (family: number, count: number): void => {
    found[family] = (found[family] as number) + count;
  };
  let rows = countFacts(tables, add);
  if (types !== null) rows += types.count(add);
  const missing = (intern: Intern): QuadColumns => {
    const quads = quadColumns(rows);
    fill(quads.g, 0, rows, ROOT_ID);
    const writer = new FactWriter(tables, ontology, intern, quads);
    for (const [property, facts] of tables.relations()) writer.writeFacts(property, facts);
    types?.write(writer);
    return quads;
  };
  return { missing, surplus, counts: countsOf(found, rows, surplus.rows) };
}

/** Writes facts into columns, one after the other. */
class FactWriter {
  readonly #tables: FactTables;
  readonly #ontology: Ontology;
  readonly #intern: Intern;
  readonly #quads: QuadColumns;
  readonly #classes = new Map<number, TermId>();
  #at = 0;

  constructor(tables: FactTables, ontology: Ontology, intern: Intern, quads: QuadColumns) {
    this.#tables = tables;
    this.#ontology = ontology;
    this.#intern = intern;
    this.#quads = quads;
  }

  writeFacts(property: number, facts: PairTable): void {
    const from = this.#at;
    const { s, o } = this.#quads;
    for (let row = 0; row < facts.count; row++) {
      if (((facts.marks[row] as number) & (ASSERTED | STANDING)) !== 0) continue;
      this.#writeNode(s, facts.s[row] as number);
      this.#writeNode(o, facts.o[row] as number);
      this.#at++;
    }
    this.#writeProperty(property, from);
  }

  /** The types of a node, one fact each. */
  writeTypes(node: number, classes: Iterable<number>): void {
    const { s, o } = this.#quads;
    for (const of of classes) {
      this.#writeNode(s, node);
      this.#writeId(o, this.#classId(of));
      this.#at++;
    }
  }

  get at(): number {
    return this.#at;
  }

  endTypes(from: number): void {
    this.#writeProperty(this.#ontology.typeProperty, from);
  }

  #writeProperty(property: number, from: number): void {
    if (this.#at === from) return;
    fill(this.#quads.p, from, this.#at, this.#intern(this.#ontology.properties[property] as string));
  }

  #classId(of: number): TermId {
    const known = this.#classes.get(of);
    if (known !== undefined) return known;
    const id = this.#intern(this.#ontology.classes[of] as string);
    this.#classes.set(of, id);
    return id;
  }

  #writeNode(column: Uint32Array, node: number): void {
    const made = this.#tables.newClass(node);
    if (made >= 0) {
      this.#writeId(column, this.#classId(made));
      return;
    }
    column[2 * this.#at] = this.#tables.nodes.low(node);
    column[2 * this.#at + 1] = this.#tables.nodes.high(node);
  }

  #writeId(column: Uint32Array, id: TermId): void {
    column[2 * this.#at] = lowOf(id);
    column[2 * this.#at + 1] = highOf(id);
  }
}

function countsOf(found: Readonly<Record<number, number>>, asserted: number, retracted: number): MaterializedCounts {
  const of = (family: number): number => found[family] as number;
  return {
    subclass_inferences: of(FAMILY.subclass),
    sub_property_inferences: of(FAMILY.subProperty),
    equivalent_class_inferences: of(FAMILY.equivalentClass),
    equivalent_property_inferences: of(FAMILY.equivalentProperty),
    inverse_inferences: of(FAMILY.inverse),
    symmetric_inferences: of(FAMILY.symmetric),
    transitive_inferences: of(FAMILY.transitive),
    domain_range_inferences: of(FAMILY.domainRange),
    total: Object.values(found).reduce((sum, count) => sum + count, 0),
    asserted,
    retracted,
  };
}

/** Counts the facts of each family; returns how many are to be written. */
function countFacts(tables: FactTables, add: (family: number, count: number) => void): number {
  const byMarks = new Float64Array(2 * STANDING);
  for (const [, { marks, count }] of tables.relations()) {
    for (let row = 0; row < count; row++) {
      const mark = marks[row] as number;
      byMarks[mark] = (byMarks[mark] as number) + 1;
    }
  }
  let rows = 0;
  for (const [mark, count] of byMarks.entries()) {
    if (count === 0) continue;
    for (const family of Object.values(FAMILY)) if ((mark & family) !== 0) add(family, count);
    if ((mark & (ASSERTED | STANDING)) === 0) rows += count;
  }
  return rows;
}

/** Marks the facts that stand and follow; gives those that stand and do not. */
function compareStanding(tables: FactTables, ontology: Ontology, types: NodeTypes | null): QuadColumns {
  const { s, p, o, rows } = tables.standing;
  const surplus: number[] = [];
  for (let row = 0; row < rows; row++) {
    const property = tables.propertyOfId(p[2 * row] as number, p[2 * row + 1] as number);
    const node = tables.nodes.find(s[2 * row] as number, s[2 * row + 1] as number);
    const [oLow, oHigh] = [o[2 * row] as number, o[2 * row + 1] as number];
    let follows = false;
    if (node >= 0 && property >= 0) {
      if (types !== null && property === ontology.typeProperty)
        follows = types.stands(node, tables.classOfId(oLow, oHigh));
      else follows = factStands(tables, property, node, tables.nodes.find(oLow, oHigh));
    }
    if (!follows) surplus.push(row);
  }
  const g = columnOf([ROOT_ID]);
  return {
    rows: surplus.length,
    s: pickedRows(s, surplus),
    p: pickedRows(p, surplus),
    o: pickedRows(o, surplus),
    g: pickedRows(g, new Uint32Array(surplus.length)),
  };
}

function factStands(tables: FactTables, property: number, s: number, o: number): boolean {
  if (o < 0) return false;
  const facts = tables.relation(property);
  const row = facts.find(s, o);
  if (row < 0 || ((facts.marks[row] as number) & ASSERTED) !== 0) return false;
  facts.marks[row] = (facts.marks[row] as number) | STANDING;
  return true;
}

/** The types of nodes where types lead to no other facts: sets, asserted and found. */
class NodeTypes {
  readonly #tables: FactTables;
  readonly #ontology: Ontology;
  /** By node the classes of types that an earlier run has written and that follow. */
  readonly #standing = new Map<number, Set<number>>();
  /** What follows, by the set that is asserted and the set of all. */
  readonly #derived = new Map<number, Int32Array>();

  constructor(tables: FactTables, ontology: Ontology) {
    this.#tables = tables;
    this.#ontology = ontology;
  }

  #all(node: number): number {
    const { sets } = this.#tables;
    return sets.closure(sets.union(this.#tables.assertedTypes(node), this.#tables.impliedTypes(node)));
  }

  /** The classes that a node has without their being asserted. */
  #derivedOf(node: number): Int32Array {
    const asserted = this.#tables.assertedTypes(node);
    const all = this.#all(node);
    const key = asserted * 2 ** 26 + all;
    const known = this.#derived.get(key);
    if (known !== undefined) return known;
    const given = new Set(this.#tables.sets.classes(asserted));
    const derived = this.#tables.sets.classes(all).filter((of) => !given.has(of));
    this.#derived.set(key, derived);
    return derived;
  }

  /** Notes that a type stands; false when it does not follow. */
  stands(node: number, of: number): boolean {
    if (of < 0 || !includes(this.#derivedOf(node), of)) return false;
    const standing = this.#standing.get(node) ?? new Set();
    this.#standing.set(node, standing.add(of));
    return true;
  }

  count(add: (family: number, count: number) => void): number {
    const [bySet, implied] = [new Map<number, number>(), { types: 0 }];
    let rows = 0;
    for (let node = 0; node < this.#tables.nodes.count; node++) {
      const all = this.#all(node);
      if (all === 0) continue;
      bySet.set(all, (bySet.get(all) ?? 0) + 1);
      implied.types += this.#tables.sets.classes(this.#tables.impliedTypes(node)).length;
      rows += this.#derivedOf(node).length - (this.#standing.get(node)?.size ?? 0);
    }
    add(FAMILY.domainRange, implied.types);
    for (const [set, nodes] of bySet) {
      for (const family of [FAMILY.subclass, FAMILY.equivalentClass]) add(family, nodes * this.#concluded(set, family));
    }
    return rows;
  }

  /** How many classes of a set follow from its classes by a family. */
  #concluded(set: number, family: number): number {
    const found = new Set<number>();
    for (const of of this.#tables.sets.classes(set)) {
      for (const step of this.#ontology.classSteps(of)) if (step.family === family) found.add(step.to);
    }
    return found.size;
  }

  write(writer: FactWriter): void {
    const from = writer.at;
    for (let node = 0; node < this.#tables.nodes.count; node++) {
      if (this.#all(node) === 0) continue;
      const standing = this.#standing.get(node);
      const derived = this.#derivedOf(node);
      writer.writeTypes(node, standing === undefined ? derived : derived.filter((of) => !standing.has(of)));
    }
    writer.endTypes(from);
  }
}

function includes(sorted: Int32Array, of: number): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] as number) < of) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === of;
}

function fill(column: Uint32Array, from: number, to: number, id: TermId): void {
  const [low, high] = [lowOf(id), highOf(id)];
  for (let at = from; at < to; at++) {
    column[2 * at] = low;
    column[2 * at + 1] = high;
  }
}
