/**
 * Runs the query of a SPARQL constraint for focus nodes, with the variables of SHACL 5.3 bound before: once for many of
 * them where that gives the same results. It reads the graph that is written to, without the types that ROOT states.
 */

import type { Parameters, ResultRow, SelectResult } from '../../query/query.js';
import type { Term } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { SparqlConstraint } from '../shapes/shapes.js';
import { type Batch, type Check, type Evaluation, eachRow } from './check.js';

type Solution = ReadonlyMap<string, Term>;

/** For fewer rows the query runs once a row: its plan is kept, while the query over many rows is planned anew. */
const EACH_MIN = 4;
/** Rows of one query. */
const EACH_MAX = 1000;
const THIS = ['this'];
const PAIR = ['this', 'value'];

/** Focus nodes, values, and the row of the focus node of each value. */
interface Asked {
  readonly focus: readonly Term[];
  readonly terms: readonly Term[];
  readonly rowOf: Uint32Array;
}

function boundOf(variables: readonly string[], solution: ResultRow): Solution {
  return new Map(variables.flatMap((name, at) => (solution[at] === undefined ? [] : [[name, solution[at] as Term]])));
}

export function sparqlCheck(sparql: SparqlConstraint, evaluation: Evaluation): Check {
  const runner = new QueryRunner(sparql, evaluation);
  return (batch) => runner.run(batch);
}

class QueryRunner {
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
      for (let from = 0; from < nodes.count; from += EACH_MAX) {
        await this.#selectAll(batch, focus, from, Math.min(nodes.count, from + EACH_MAX));
      }
      return;
    }
    const terms = view.decode(values.ids, values.count);
    const rowOf = new Uint32Array(values.count);
    eachRow(nodes, values, (row, from, to) => rowOf.fill(row, from, to));
    for (let from = 0; from < values.count; from += EACH_MAX) {
      await this.#askAll(batch, { focus, terms, rowOf }, from, Math.min(values.count, from + EACH_MAX));
    }
  }

  /** The focus nodes of rows `[from, to)`. */
  async #selectAll(batch: Batch, focus: readonly Term[], from: number, to: number): Promise<void> {
    const rows = focus.slice(from, to).map((node) => [node]);
    const result = await this.#executeEach(THIS, rows);
    if (result === null) {
      for (let row = from; row < to; row++) await this.#select(batch, row, focus[row] as Term);
      return;
    }
    const places = new Map(rows.map((row, at) => [this.#keyOf(row), at]));
    const found: Solution[][] = rows.map(() => []);
    for await (const { key, solution } of this.#solutionsOf(result, THIS)) {
      found[places.get(key) as number]?.push(boundOf(result.variables, solution));
    }
    for (const [at, solutions] of found.entries()) {
      const node = focus[from + at] as Term;
      for (const solution of solutions) {
        const whole = new Map([...this.#bound(node, null), ...solution]);
        this.#fail(batch, from + at, whole, this.#fallback(batch, node));
      }
    }
  }

  async #select(batch: Batch, row: number, node: Term): Promise<void> {
    const bound = this.#bound(node, null);
    const result = await this.#execute(bound);
    if (result.kind !== 'select') return;
    for await (const solution of result.rows()) {
      const found = new Map([...bound, ...boundOf(result.variables, solution)]);
      this.#fail(batch, row, found, this.#fallback(batch, node));
    }
  }

  #fallback(batch: Batch, node: Term): Term | null {
    return batch.shape.path === null ? node : null;
  }

  /** The values `[from, to)`. */
  async #askAll(batch: Batch, { focus, terms, rowOf }: Asked, from: number, to: number): Promise<void> {
    const pairs = terms.slice(from, to).map((value, at) => [focus[rowOf[from + at] as number] as Term, value]);
    const result = await this.#executeEach(PAIR, pairs);
    const fails = (at: number) => {
      const [node, value] = pairs[at] as [Term, Term];
      this.#failValue(batch, rowOf[from + at] as number, node, from + at, value);
    };
    if (result !== null) {
      const held = new Set<string>();
      for await (const { key } of this.#solutionsOf(result, PAIR)) held.add(key);
      for (const [at, pair] of pairs.entries()) if (!held.has(this.#keyOf(pair))) fails(at);
      return;
    }
    for (const [at, [node, value]] of pairs.entries()) {
      const one = await this.#execute(this.#bound(node as Term, value as Term));
      if (one.kind === 'ask' && !one.value) fails(at);
    }
  }

  #failValue(batch: Batch, row: number, node: Term, at: number, value: Term): void {
    const { ids } = batch.values;
    const message = this.#message(this.#bound(node, value));
    batch.reporter.fail(batch.constraint, row, ids[2 * at] as number, ids[2 * at + 1] as number, message);
  }

  /** Null where few rows, or what the query is, make asking one by one the way. */
  async #executeEach(names: readonly string[], rows: readonly (readonly Term[])[]): Promise<SelectResult | null> {
    if (rows.length < EACH_MIN) return null;
    const { view, timer } = this.evaluation;
    await timer.turn();
    const parameters = this.#parameters(this.sparql.bindings);
    const options = { ...timer.limits, parameters, defaultGraphs: view.graphIris };
    const result = await this.sparql.query.executeEach(view.snapshot, names, rows, options);
    return result?.kind === 'select' ? result : null;
  }

  #keyOf(terms: readonly (Term | undefined)[]): string {
    const { view } = this.evaluation;
    return terms.map((term) => (term === undefined ? '' : view.idOf(term))).join(' ');
  }

  /** Solutions, each with the key of the row that it is of. */
  async *#solutionsOf(result: SelectResult, names: readonly string[]) {
    const columns = names.map((name) => result.variables.indexOf(name));
    for await (const solution of result.rows()) {
      yield { key: this.#keyOf(columns.map((column) => solution[column])), solution };
    }
  }

  /** Variables that the query does not name can not be bound. */
  #bound(node: Term, value: Term | null): Solution {
    const bound = new Map<string, Term>([['this', node], ...this.sparql.bindings]);
    if (value !== null) bound.set('value', value);
    return bound;
  }

  async #execute(bound: Solution) {
    const { view, timer } = this.evaluation;
    await timer.turn();
    const options = { ...timer.limits, parameters: this.#parameters(bound), defaultGraphs: view.graphIris };
    return this.sparql.query.execute(view.snapshot, options);
  }

  #parameters(bound: Solution): Parameters {
    return Object.fromEntries([...bound].filter(([name]) => this.#mentioned.has(name)));
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
