/**
 * Runs the query of a SPARQL constraint for each focus node, with the variables of SHACL 5.3 bound before. It sees the
 * graph that is written to, without what ROOT says of types.
 */

import type { Term } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { type Batch, type Check, type Evaluation, eachRow } from '../checks/check.js';
import type { SparqlConstraint } from './constraint.js';

type Solution = ReadonlyMap<string, Term>;

export class SparqlCheck implements Check {
  readonly #mentioned: ReadonlySet<string>;

  constructor(
    private readonly sparql: SparqlConstraint,
    private readonly evaluation: Evaluation,
  ) {
    this.#mentioned = new Set(sparql.query.mentioned);
  }

  async run(batch: Batch): Promise<void> {
    const { nodes, values } = batch;
    const { view } = this.evaluation;
    const focus = view.decode(nodes.ids, nodes.count);
    if (this.sparql.form === 'select') {
      for (const [row, node] of focus.entries()) await this.#select(batch, row, node);
      return;
    }
    const terms = view.decode(values.ids, values.count);
    const pairs: [number, number][] = [];
    eachRow(nodes, values, (row, from, to) => {
      for (let at = from; at < to; at++) pairs.push([row, at]);
    });
    for (const [row, at] of pairs) await this.#ask(batch, row, focus[row] as Term, at, terms[at] as Term);
  }

  async #select(batch: Batch, row: number, node: Term): Promise<void> {
    const bound = this.#bound(node, null);
    const result = await this.#execute(bound);
    if (result.kind !== 'select') return;
    for await (const solution of result.rows()) {
      const found = new Map(bound);
      for (const [at, name] of result.variables.entries()) {
        const term = solution[at];
        if (term !== undefined) found.set(name, term);
      }
      this.#fail(batch, row, found, batch.shape.path === null ? node : null);
    }
  }

  async #ask(batch: Batch, row: number, node: Term, at: number, value: Term): Promise<void> {
    const bound = this.#bound(node, value);
    const result = await this.#execute(bound);
    if (result.kind !== 'ask' || result.value) return;
    const { ids } = batch.values;
    const message = this.#message(new Map(bound).set('value', value));
    batch.reporter.fail(batch.constraint, row, ids[2 * at] as number, ids[2 * at + 1] as number, message);
  }

  /** Variables that the query does not name can not be bound. */
  #bound(node: Term, value: Term | null): Solution {
    const bound = new Map<string, Term>([['this', node], ...this.sparql.bindings]);
    if (value !== null) bound.set('value', value);
    return bound;
  }

  async #execute(bound: Solution) {
    await this.evaluation.pace.turn();
    const { view } = this.evaluation;
    const parameters = Object.fromEntries([...bound].filter(([name]) => this.#mentioned.has(name)));
    return this.sparql.query.execute(view.snapshot, { parameters, defaultGraphs: view.graphIris });
  }

  #fail(batch: Batch, row: number, solution: Solution, fallback: Term | null): void {
    const value = solution.get('value') ?? fallback;
    const id = value === null ? 0n : this.evaluation.view.idOf(value);
    const path = solution.get('path');
    const message = this.#message(value === null ? solution : new Map(solution).set('value', value));
    const notes = { ...message, ...(path?.termType === 'NamedNode' ? { path } : {}) };
    batch.reporter.fail(batch.constraint, row, lowOf(id), highOf(id), notes);
  }

  /** The message of the solution, or that of the constraint with the values of its variables. */
  #message(solution: Solution): { readonly message?: string } {
    const own = solution.get('message');
    if (own?.termType === 'Literal') return { message: own.value };
    const [first] = this.sparql.messages;
    const template = this.sparql.messages.find(({ language }) => language === '') ?? first;
    if (template === undefined) return {};
    return {
      message: template.value.replace(/\{[?$](\w+)\}/g, (all, name: string) => solution.get(name)?.value ?? all),
    };
  }
}
