/**
 * A body of a rule as a pipeline of joins over batches of bindings. A binding is a row of numbers, one column (slot) for each
 * variable. Each step reads a batch, joins its atom, and hands full batches on; the last one is the head.
 *
 *  1. A step sees only rows of its relation below its limit: rows that are derived while it runs wait for the next round.
 *  2. What it reads of a relation may be replaced by a longer copy while it runs; rows below the limit are the same in both.
 */

import { Relation, type Side } from './relation.js';

export const BATCH_ROWS = 4096;

/** Where a step takes the value of a position from. */
export type Operand =
  | { readonly kind: 'slot'; readonly slot: number }
  | { readonly kind: 'number'; readonly number: number };

/** Columns by slot; those that nobody reads any more are left out. */
export type Bindings = (Uint32Array | undefined)[];

export interface Sink {
  process(bindings: Bindings, rows: number): void;
}

/** How much work is done, and whether it may go on: asked once a batch. */
export interface Meter {
  spend(rows: number): void;
}

/** A step that gives rows, to the next one. */
export abstract class Step implements Sink {
  /** Rows of the relation from this one on are not there yet. */
  limit = 0;
  protected filled = 0;
  protected readonly out: Bindings = [];

  /** `kept`: slots that the input has and later steps read. */
  constructor(
    protected readonly meter: Meter,
    protected readonly next: Sink,
    protected readonly kept: readonly number[],
    added: readonly number[],
  ) {
    for (const slot of [...kept, ...added]) this.out[slot] = new Uint32Array(BATCH_ROWS);
  }

  process(bindings: Bindings, rows: number): void {
    this.meter.spend(rows);
    this.join(bindings, rows);
    this.flush();
  }

  protected abstract join(bindings: Bindings, rows: number): void;

  /** Copies what is kept of a binding; `filled` counts it. */
  protected keep(bindings: Bindings, row: number): void {
    for (const slot of this.kept) {
      (this.out[slot] as Uint32Array)[this.filled] = (bindings[slot] as Uint32Array)[row] as number;
    }
    this.filled++;
  }

  protected flush(): void {
    const rows = this.filled;
    this.filled = 0;
    if (rows > 0) this.next.process(this.out, rows);
  }
}

/** Pairs that have a bound value on one side; the other side is a new variable. */
export class ExpandStep extends Step {
  constructor(
    meter: Meter,
    next: Sink,
    kept: readonly number[],
    private readonly relation: Relation,
    private readonly side: Side,
    private readonly key: Operand,
    private readonly added: number,
    /** More than any number there will be. */
    private readonly numbers: number,
  ) {
    super(meter, next, kept, [added]);
  }

  protected join(bindings: Bindings, rows: number): void {
    const { relation, limit, key } = this;
    const chains = relation.chains(this.side, this.numbers);
    const keys = key.kind === 'slot' ? (bindings[key.slot] as Uint32Array) : null;
    const constant = key.kind === 'number' ? key.number : 0;
    const added = this.out[this.added] as Uint32Array;
    const other = this.side === 's' ? -1 : -2;
    for (let row = 0; row < rows; row++) {
      let link = chains.headOf(keys === null ? constant : (keys[row] as number));
      // After the lookup: it may have read rows of the key.
      const { pairs } = relation;
      const { next } = chains;
      for (; link !== 0; link = link <= next.length ? (next[link - 1] as number) : (chains.next[link - 1] as number)) {
        if (link > limit) continue;
        added[this.filled] = pairs[2 * link + other] as number;
        this.keep(bindings, row);
        if (this.filled === BATCH_ROWS) this.flush();
      }
    }
  }
}

/** All pairs, for every binding; where both sides are one variable, those that are equal. */
export class ProductStep extends Step {
  constructor(
    meter: Meter,
    next: Sink,
    kept: readonly number[],
    private readonly relation: Relation,
    private readonly addedS: number,
    private readonly addedO: number,
  ) {
    super(meter, next, kept, addedS === addedO ? [addedS] : [addedS, addedO]);
  }

  protected join(bindings: Bindings, rows: number): void {
    const end = Math.min(this.limit, this.relation.whole());
    for (let row = 0; row < rows; row++) this.pairs(bindings, row, 0, end);
  }

  /** The pairs of some rows of the relation, for one binding. */
  protected pairs(bindings: Bindings, row: number, from: number, to: number): void {
    const { pairs } = this.relation;
    const outS = this.out[this.addedS] as Uint32Array;
    const outO = this.out[this.addedO] as Uint32Array;
    const loop = this.addedS === this.addedO;
    for (let pair = from; pair < to; pair++) {
      const [s, o] = [pairs[2 * pair] as number, pairs[2 * pair + 1] as number];
      if (loop && s !== o) continue;
      outS[this.filled] = s;
      outO[this.filled] = o;
      this.keep(bindings, row);
      if (this.filled === BATCH_ROWS) this.flush();
    }
  }
}

/** Keeps the bindings whose pair is there, or is not. */
export class CheckStep extends Step {
  constructor(
    meter: Meter,
    next: Sink,
    kept: readonly number[],
    private readonly relation: Relation,
    private readonly s: Operand,
    private readonly o: Operand,
    private readonly negated: boolean,
  ) {
    super(meter, next, kept, []);
  }

  protected join(bindings: Bindings, rows: number): void {
    const { relation, s, o, limit, negated } = this;
    const subjects = s.kind === 'slot' ? (bindings[s.slot] as Uint32Array) : null;
    const objects = o.kind === 'slot' ? (bindings[o.slot] as Uint32Array) : null;
    const subject = s.kind === 'number' ? s.number : 0;
    const object = o.kind === 'number' ? o.number : 0;
    if (relation.looksAhead) {
      const asked = new Relation();
      for (let row = 0; row < rows; row++) {
        asked.add(
          subjects === null ? subject : (subjects[row] as number),
          objects === null ? object : (objects[row] as number),
        );
      }
      relation.expect(asked);
    }
    for (let row = 0; row < rows; row++) {
      const found = relation.find(
        subjects === null ? subject : (subjects[row] as number),
        objects === null ? object : (objects[row] as number),
      );
      if ((found >= 0 && found < limit) === negated) continue;
      this.keep(bindings, row);
      if (this.filled === BATCH_ROWS) this.flush();
    }
  }
}

/** Begins a pipeline with the pairs of some rows of a relation: of an atom's constants and equal variables only those that match. */
export class DeltaScan {
  readonly #out: Bindings = [];

  constructor(
    private readonly meter: Meter,
    private readonly next: Sink,
    private readonly relation: Relation,
    private readonly s: Operand,
    private readonly o: Operand,
  ) {
    for (const operand of [s, o]) {
      if (operand.kind === 'slot') this.#out[operand.slot] = new Uint32Array(BATCH_ROWS);
    }
  }

  run(from: number, to: number): void {
    const { relation, s, o } = this;
    const outS = s.kind === 'slot' ? (this.#out[s.slot] as Uint32Array) : null;
    const outO = o.kind === 'slot' ? (this.#out[o.slot] as Uint32Array) : null;
    const subject = s.kind === 'number' ? s.number : -1;
    const object = o.kind === 'number' ? o.number : -1;
    const loop = s.kind === 'slot' && o.kind === 'slot' && s.slot === o.slot;
    for (let begin = from; begin < to; begin += BATCH_ROWS) {
      const end = Math.min(to, begin + BATCH_ROWS);
      let rows = 0;
      const { pairs } = relation;
      for (let pair = begin; pair < end; pair++) {
        const [ps, po] = [pairs[2 * pair] as number, pairs[2 * pair + 1] as number];
        if ((outS === null && ps !== subject) || (outO === null && po !== object) || (loop && ps !== po)) continue;
        if (outS !== null) outS[rows] = ps;
        if (outO !== null) outO[rows] = po;
        rows++;
      }
      this.meter.spend(end - begin);
      if (rows > 0) this.next.process(this.#out, rows);
    }
  }
}
