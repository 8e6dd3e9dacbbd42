/**
 * The triples of a scope on their way to `export.nt`: ground ones are lines, and sorted; blank nodes get their labels of
 * RDFC-1.0.
 *
 * 1. Triples with a blank node wait, as terms: their labels depend on all of them. Ground triples have no say in that.
 * 2. When all have come, RDFC-1.0 labels the nodes, and their lines are sorted with the others.
 */

import { type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { canonicalBlankLabels } from '../rdf/canonical/rdfc.js';
import { type BlankNode, type Quad, type Term, terms } from '../rdf/terms.js';
import { canonicalTriple } from './canonical-lines.js';
import type { LineBatch } from './ground-lines.js';
import type { LineSorter } from './line-sorter.js';

/** Is shown every term of the share, some more than once: whole lines, and triples that are none yet. */
export interface ShareWatch {
  seeLines(lines: Uint8Array): void;
  seeTriple(triple: Quad): void;
}

/** Triples with blank nodes are held in memory, as is what RDFC-1.0 makes of them. */
const BLANK_TRIPLES_MAX = 2_000_000;
const STEP_BLANK_TRIPLES = 8192;

export interface CollectOptions {
  readonly watch?: ShareWatch | undefined;
  readonly hashCallsMax?: number | undefined;
}

export class TripleCollector {
  readonly #sorter: LineSorter;
  readonly #options: CollectOptions;
  readonly #control: Control;
  readonly #blank: Quad[] = [];

  constructor(sorter: LineSorter, options: CollectOptions, control: Control) {
    this.#sorter = sorter;
    this.#options = options;
    this.#control = control;
  }

  /** Triples so far, those that came twice among them. */
  get triples(): number {
    return this.#sorter.lines + this.#blank.length;
  }

  async add({ lines, others }: LineBatch): Promise<void> {
    let ground = '';
    for (const triple of others) {
      if (hasBlankNode(triple)) this.#keep(triple);
      else ground += `${canonicalTriple(triple)}\n`;
    }
    if (lines.length > 0) await this.#sort(lines);
    if (ground !== '') await this.#sort(Buffer.from(ground));
  }

  #keep(triple: Quad): void {
    if (this.#blank.length === BLANK_TRIPLES_MAX) throw tooManyBlank();
    this.#options.watch?.seeTriple(triple);
    this.#blank.push(triple);
  }

  async #sort(lines: Uint8Array): Promise<void> {
    this.#options.watch?.seeLines(lines);
    if (this.#sorter.add(lines)) await this.#sorter.spill();
  }

  /** Labels the blank nodes; answers how many there are. */
  async finish(): Promise<number> {
    const { hashCallsMax } = this.#options;
    const labels = await canonicalBlankLabels(this.#blank, { ...this.#control, hashCallsMax });
    const relabelled = <Given extends Term>(term: Given): Given | BlankNode =>
      term.termType === 'BlankNode' ? terms.blankNode(labels.get(term.value) as string) : term;
    for (let from = 0; from < this.#blank.length; from += STEP_BLANK_TRIPLES) {
      const lines = this.#blank.slice(from, from + STEP_BLANK_TRIPLES).map(({ subject, predicate, object }) => {
        const [s, o] = [relabelled(subject), relabelled(object)];
        return `${canonicalTriple({ subject: s, predicate, object: o })}\n`;
      });
      if (this.#sorter.add(Buffer.from(lines.join('')))) await this.#sorter.spill();
      throwIfStopped(this.#control, 'the share');
    }
    this.#blank.length = 0;
    return labels.size;
  }
}

function hasBlankNode({ subject, object }: Quad): boolean {
  return subject.termType === 'BlankNode' || object.termType === 'BlankNode';
}

function tooManyBlank(): SvcError {
  return new SvcError('limit_exceeded', `the scope has more than ${BLANK_TRIPLES_MAX} triples with blank nodes`, {
    hint: 'their canonical labels depend on all of them together; share a smaller scope, or name the nodes by IRIs',
  });
}
