/**
 * Closes the facts of linked properties under their axioms. Each fact is taken once, and each step from it marks its
 * conclusion with its family, whether that was there already or not; so the marks say in the end which facts follow by
 * which family, however they were found first.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { FactTables } from './fact-tables.js';
import type { Ontology } from './ontology.js';
import type { PairTable } from './pair-table.js';
import { closeTransitive } from './transitive.js';

/** Most facts of all linked properties together: they are held in memory, some 25 bytes each. */
export const FACTS_MAX = 2 ** 26;

export function closeFacts(tables: FactTables, ontology: Ontology, factsMax: number, control: Control): void {
  const counts = new Map<number, number>();
  let all = 0;
  const check = (property: number): void => {
    throwIfStopped(control, 'the materialization');
    const { count } = tables.relation(property);
    all += count - (counts.get(property) ?? 0);
    counts.set(property, count);
    if (all > factsMax) throw tooMany(factsMax, ontology.properties[property] as string);
  };
  const steps = new StepClosure(tables, ontology, check);
  const closedTo = new Map<number, number>();
  steps.run();
  for (let isOpen = true; isOpen; ) {
    isOpen = false;
    for (const property of ontology.transitive) {
      const facts = tables.relation(property);
      if (!hasIriObject(tables, facts, closedTo.get(property) ?? 0)) continue;
      isOpen = true;
      closeTransitive(tables, facts, () => check(property));
      closedTo.set(property, facts.count);
    }
    if (isOpen) steps.run();
  }
}

function hasIriObject(tables: FactTables, facts: PairTable, from: number): boolean {
  for (let row = from; row < facts.count; row++) if (tables.isIri(facts.o[row] as number)) return true;
  return false;
}

function tooMany(factsMax: number, property: string): SvcError {
  const message = `more than ${factsMax} facts follow, which is too many; the last were of <${property}>`;
  return new SvcError('limit_exceeded', message, {
    hint: 'remove the axiom that says so much (a transitive property of long chains has the square of their length)',
  });
}

class StepClosure {
  readonly #tables: FactTables;
  readonly #ontology: Ontology;
  /** Told of each property that has got facts; refuses to go on. */
  readonly #check: (property: number) => void;
  /** Rows of each property that are done. */
  readonly #done = new Map<number, number>();

  constructor(tables: FactTables, ontology: Ontology, check: (property: number) => void) {
    this.#tables = tables;
    this.#ontology = ontology;
    this.#check = check;
  }

  run(): void {
    for (let isOpen = true; isOpen; ) {
      isOpen = false;
      for (const [property, facts] of [...this.#tables.relations()]) {
        const from = this.#done.get(property) ?? 0;
        if (from === facts.count) continue;
        isOpen = true;
        this.#check(property);
        this.#done.set(property, facts.count);
        this.#step(property, facts, from, facts.count);
      }
    }
  }

  #step(property: number, facts: PairTable, from: number, to: number): void {
    const tables = this.#tables;
    for (const step of this.#ontology.propertySteps(property)) {
      const target = tables.relation(step.to);
      for (let row = from; row < to; row++) {
        const [s, o] = [facts.s[row] as number, facts.o[row] as number];
        if (!step.flipped) target.mark(s, o, step.family);
        else if (tables.isIri(o)) target.mark(o, s, step.family);
      }
      this.#check(step.to);
    }
    if (!this.#ontology.typeIsLinked) return;
    if (property === this.#ontology.typeProperty) this.#stepTypes(facts, from, to);
    const [domain, range] = [tables.domainSet(property), tables.rangeSet(property)];
    for (let row = from; row < to; row++) {
      if (domain !== 0) tables.imply(facts.s[row] as number, domain);
      const o = facts.o[row] as number;
      if (range !== 0 && tables.isIri(o)) tables.imply(o, range);
    }
  }

  #stepTypes(types: PairTable, from: number, to: number): void {
    const tables = this.#tables;
    for (let row = from; row < to; row++) {
      const of = tables.classOfNode(types.o[row] as number);
      if (of < 0) continue;
      for (const step of this.#ontology.classSteps(of)) {
        types.mark(types.s[row] as number, tables.classNode(step.to), step.family);
      }
    }
  }
}

/** Types from the domains and ranges of linked properties, where types lead to no other facts. */
export function implyTypes(tables: FactTables, ontology: Ontology): void {
  if (ontology.typeIsLinked) return;
  for (const [property, facts] of tables.relations()) {
    const [domain, range] = [tables.domainSet(property), tables.rangeSet(property)];
    if (domain === 0 && range === 0) continue;
    for (let row = 0; row < facts.count; row++) {
      if (domain !== 0) tables.imply(facts.s[row] as number, domain);
      const o = facts.o[row] as number;
      if (range !== 0 && tables.isIri(o)) tables.imply(o, range);
    }
  }
}
