/**
 * DELETE and INSERT with a pattern. The pattern is evaluated in full on the state before the operation;
 * then the quads of the delete template are closed, then those of the insert template are opened.
 *
 * Solutions wait in a buffer where both templates read them. Where one does, they are applied as they
 * come: the snapshot that the pattern reads does not show what is staged after it was taken.
 */

import { invariant, SvcError } from '../../base/errors.js';
import { highOf, idOfHalves, lowOf } from '../../storage/ids/halves.js';
import { TAG, type TermId } from '../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import type { UpdateOperation } from '../algebra/update.js';
import { executeParsed, type ResultBatch } from '../query.js';
import type { QueryBatch } from '../runtime/batch.js';
import { patternQuery } from './pattern-query.js';
import { QuadCollector } from './quad-collector.js';
import type { UpdateRun } from './run.js';
import { SolutionBuffer } from './solution-buffer.js';
import { type SolutionSource, StageTerms } from './stage-terms.js';
import { targetFault } from './targets.js';
import { Template, templateVariables } from './template.js';

type Modify = Extract<UpdateOperation, { kind: 'modify' }>;

/** A snapshot is copied when the stage changes under it; more changes than these are not worth copying. */
const COPIED_CHANGES_MAX = 100_000;

export async function modify(operation: Modify, run: UpdateRun): Promise<void> {
  if (operation.delete.length + operation.insert.length === 0) return;
  const work = new Modification(operation, run);
  const { asserted, retracted } = run.stage.counts;
  const both = operation.delete.length > 0 && operation.insert.length > 0;
  if (both || asserted + retracted > COPIED_CHANGES_MAX) await work.runBuffered();
  else await work.runStreaming();
}

class Modification {
  readonly #operation: Modify;
  readonly #run: UpdateRun;
  /** Variables that the templates read: the columns of the solutions. */
  readonly #variables: readonly string[];
  readonly #terms: StageTerms;
  /** Columns whose computed values are written. */
  readonly #inserted: readonly number[];
  /** Columns that name graphs to write. */
  readonly #graphs: readonly number[];
  #deletes: Template | null = null;
  #inserts: Template | null = null;
  readonly #gone: QuadCollector;
  readonly #made: QuadCollector;
  #applied = 0;

  constructor(operation: Modify, run: UpdateRun) {
    this.#operation = operation;
    this.#run = run;
    this.#terms = new StageTerms(run.stage, run.nodes);
    this.#gone = new QuadCollector((columns) => run.stage.retractIds(columns));
    this.#made = new QuadCollector((columns) => run.stage.assertIds(columns));
    const quads = [...operation.delete, ...operation.insert];
    this.#variables = [...templateVariables(quads)];
    this.#inserted = this.#columns(templateVariables(operation.insert));
    this.#graphs = this.#columns(templateVariables(quads, ['g']));
  }

  async runStreaming(): Promise<void> {
    await this.#withSolutions(async (batch, snapshot) => {
      this.#delete(batch, snapshot);
      this.#insert(batch);
      await this.#step('write', batch);
    });
    this.#gone.flush();
    this.#made.flush();
  }

  async runBuffered(): Promise<void> {
    const buffer = new SolutionBuffer(this.#variables.length, this.#run.memoryBudgetBytes);
    try {
      await this.#withSolutions(async (batch, snapshot) => {
        buffer.append(batch);
        // Constants that the state before does not know can't be deleted.
        this.#deletes ??= this.#deleteTemplate(snapshot);
        await this.#step('evaluate', batch);
      });
      buffer.seal();
      this.#applied = 0;
      for (const batch of buffer.batches()) {
        this.#delete(batch, null);
        await this.#step('delete', batch);
      }
      this.#gone.flush();
      if (this.#operation.insert.length === 0) return;
      this.#applied = 0;
      for (const batch of buffer.batches()) {
        this.#insert(batch);
        await this.#step('insert', batch);
      }
      this.#made.flush();
    } finally {
      buffer.close();
    }
  }

  #columns(names: ReadonlySet<string>): number[] {
    return [...names].map((name) => this.#variables.indexOf(name));
  }

  async #step(phase: string, batch: QueryBatch): Promise<void> {
    this.#applied += batch.rows;
    await this.#run.step(phase, this.#applied);
  }

  /** Hands over the solutions with ids of the stage, on a snapshot of the state before. */
  async #withSolutions(take: (batch: QueryBatch, snapshot: StorageSnapshot) => Promise<void>): Promise<void> {
    const snapshot = this.#run.stage.snapshot();
    const targets = new GraphTargets(snapshot);
    try {
      const { with: graph } = this.#operation;
      const query = patternQuery(this.#operation, this.#run.options.using ?? null);
      const result = await executeParsed(query, snapshot, {
        ...this.#run.queryLimits(),
        scope: query.dataset === null && graph !== null ? { graph } : undefined,
        // What is deleted and inserted are asserted facts; derived ones are not there to be closed.
        inference: false,
      });
      invariant(result.kind === 'select', 'the pattern of an update gives solutions');
      for await (const batch of result.batches) {
        const settled = this.#settle(batch, snapshot);
        for (const column of this.#graphs) targets.check(settled.columns[column] as IdColumn, batch.rows);
        await take(settled, snapshot);
      }
    } finally {
      snapshot.close();
    }
  }

  #settle(batch: ResultBatch, snapshot: StorageSnapshot): QueryBatch {
    const columns = [...batch.columns];
    const source: SolutionSource = {
      decode: batch.decode,
      isStored: (node) => snapshot.encode(node) !== null,
    };
    for (const column of this.#inserted) {
      const ids = columns[column] as IdColumn;
      columns[column] = this.#terms.settle(ids, batch.rows, source);
    }
    return { rows: batch.rows, columns };
  }

  #deleteTemplate(snapshot: StorageSnapshot): Template {
    return new Template(this.#operation.delete, {
      variables: this.#variables,
      graph: this.#operation.with,
      encode: (term) => snapshot.encode(term),
    });
  }

  #delete(batch: QueryBatch, snapshot: StorageSnapshot | null): void {
    if (snapshot !== null) this.#deletes ??= this.#deleteTemplate(snapshot);
    this.#deletes?.fill(batch, this.#terms, (quads) => this.#gone.add(quads));
  }

  /** Constants are interned with the first solution, so that an operation without any leaves no term. */
  #insert(batch: QueryBatch): void {
    const { stage } = this.#run;
    this.#inserts ??= new Template(this.#operation.insert, {
      variables: this.#variables,
      graph: this.#operation.with,
      encode: (term) => stage.intern(term),
    });
    this.#inserts.fill(batch, this.#terms, (quads) => this.#made.add(quads));
  }
}

/** Refuses graphs that may not be written when a solution names them. */
class GraphTargets {
  readonly #snapshot: StorageSnapshot;
  readonly #allowed = new Set<TermId>();

  constructor(snapshot: StorageSnapshot) {
    this.#snapshot = snapshot;
  }

  check(graphs: IdColumn, rows: number): void {
    let [low, high] = [0, 0];
    for (let row = 0; row < rows; row++) {
      if (graphs[2 * row] === low && graphs[2 * row + 1] === high) continue;
      [low, high] = [graphs[2 * row] as number, graphs[2 * row + 1] as number];
      if (high >>> 24 === TAG.iri) this.#checkOne(idOfHalves(low, high));
    }
  }

  #checkOne(graph: TermId): void {
    if (this.#allowed.has(graph)) return;
    const [term] = this.#snapshot.decode(Uint32Array.of(lowOf(graph), highOf(graph)), 1);
    const fault = term === undefined ? null : targetFault(term.value);
    if (fault !== null) {
      throw new SvcError('invalid_request', `a solution names the graph <${term?.value}>, which can not be written`, {
        hint: `it ${fault}; leave it out with a FILTER`,
      });
    }
    this.#allowed.add(graph);
  }
}
