/** Writes changes into a store, and keeps every row of them in a plain list. */
import { invariant } from '../../../engine/base/errors.js';
import { type Quad, type Store, terms } from '../../../interfaces/library/index.js';
import type { Change } from '../../data/trade.js';
import { RowList, type Slice } from '../row-list.js';

const LITERAL = /^"(.*)"(?:\^\^<(.*)>)?$/;

export class Ledger {
  readonly rows = new RowList();
  /** By fact, which is a property of an entity: subject and predicate; by version: the object. */
  readonly subjects: string[] = [];
  readonly predicates: string[] = [];
  readonly objects: string[] = [];
  readonly #factOf = new Map<string, number>();
  readonly #objectOf = new Map<string, number>();
  /** By fact its open row. */
  readonly #open = new Map<number, number>();
  /** The newest transaction. */
  tx = 0;

  async write(store: Store, change: Change): Promise<void> {
    const assert: Quad[] = [];
    const retract: Quad[] = [];
    const closed: number[] = [];
    const opened: Array<readonly [fact: number, object: number]> = [];
    const close = (fact: number): void => {
      const row = this.#open.get(fact);
      if (row === undefined) return;
      closed.push(row);
      this.#open.delete(fact);
      retract.push(this.#quad(fact, this.rows.version[row] as number));
    };
    for (const [subject, predicate] of change.remove) close(this.#fact(subject, predicate));
    for (const [subject, predicate, text] of change.set) {
      const fact = this.#fact(subject, predicate);
      const object = this.#object(text);
      const before = this.#open.get(fact);
      if (before !== undefined && this.rows.version[before] === object) continue;
      close(fact);
      opened.push([fact, object]);
      assert.push(this.#quad(fact, object));
    }
    const result = await store.transact({ assert, retract }, { timestamp: new Date(change.instant * 1000) });
    invariant(result.asserted === assert.length && result.retracted === retract.length, 'a change does what it says');
    if (result.tx === 0) return;
    this.tx = result.tx;
    for (const row of closed) this.rows.close(row, result.tx, change.instant);
    for (const [fact, object] of opened) {
      this.#open.set(fact, this.rows.open(fact, object, result.tx, change.instant));
    }
  }

  /** Subject to object of what is visible of a predicate. */
  visible(predicate: string, slice: Slice): Map<string, string> {
    const { rows } = this;
    const found = new Map<string, string>();
    for (let row = 0; row < rows.count; row++) {
      const fact = rows.fact[row] as number;
      if (this.predicates[fact] !== predicate || !rows.isVisible(row, slice)) continue;
      found.set(this.subjects[fact] as string, this.objects[rows.version[row] as number] as string);
    }
    return found;
  }

  countVisible(slice: Slice): number {
    const { rows } = this;
    const seen = new Set<string>();
    for (let row = 0; row < rows.count; row++) {
      if (rows.isVisible(row, slice)) seen.add(`${rows.fact[row]} ${rows.version[row]}`);
    }
    return seen.size;
  }

  /** Numbers of the rows of a predicate. */
  rowsOf(predicate: string): number[] {
    const found: number[] = [];
    for (let row = 0; row < this.rows.count; row++) {
      if (this.predicates[this.rows.fact[row] as number] === predicate) found.push(row);
    }
    return found;
  }

  subjectOf(row: number): string {
    return this.subjects[this.rows.fact[row] as number] as string;
  }

  objectOf(row: number): string {
    return this.objects[this.rows.version[row] as number] as string;
  }

  #fact(subject: string, predicate: string): number {
    const key = `${subject} ${predicate}`;
    const known = this.#factOf.get(key);
    if (known !== undefined) return known;
    const fact = this.subjects.push(subject) - 1;
    this.predicates.push(predicate);
    this.#factOf.set(key, fact);
    return fact;
  }

  #object(text: string): number {
    const known = this.#objectOf.get(text);
    if (known !== undefined) return known;
    const object = this.objects.push(text) - 1;
    this.#objectOf.set(text, object);
    return object;
  }

  #quad(fact: number, object: number): Quad {
    const node = (text: string) => terms.namedNode(text.slice(1, -1));
    return terms.quad(
      node(this.subjects[fact] as string),
      node(this.predicates[fact] as string),
      toObject(this.objects[object] as string),
    );
  }
}

/** The number that a literal of the set stands for. */
export function numberOf(text: string): number {
  return Number(LITERAL.exec(text)?.[1]);
}

function toObject(text: string): Quad['object'] {
  const match = LITERAL.exec(text);
  if (match === null) return terms.namedNode(text.slice(1, -1));
  const [, form, datatype] = match;
  return datatype === undefined
    ? terms.literal(form as string)
    : terms.literal(form as string, terms.namedNode(datatype));
}
