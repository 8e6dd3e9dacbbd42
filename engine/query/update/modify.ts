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
import type { Algebra, DatasetClause, ParsedQuery, QuadPattern } from '../algebra/algebra.js';
import type { UpdateOperation } from '../algebra/update.js';
import { executeParsed, type ResultBatch } from '../query.js';
import type { QueryBatch } from '../runtime/batch.js';
import { QuadCollector } from './quad-collector.js';
import type { UpdateRun } from './run.js';
import { SolutionBuffer } from './solution-buffer.js';
import { type SolutionSource, StageTerms } from './stage-terms.js';
import { targetFault } from './targets.js';
import { hasBlankNodes, Template, templateVariables } from './template.js';

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

function templateOf(operation: Modify): readonly QuadPattern[] {
  return [...operation.delete, ...operation.insert];
}

/**
 * The pattern of a modification as a query for the variables that its templates read. `using`: the graphs that the request names, where the
 * text names none.
 */
export function patternQuery(operation: Modify, using: DatasetClause | null): ParsedQuery {
  const quads = templateOf(operation);
  const variables = [...templateVariables(quads)];
  let input: Algebra = operation.where;
  // Solutions that write the same quads need not be told apart.
  if (variables.length === 0 && !hasBlankNodes(quads)) input = { kind: 'slice', input, offset: 0, limit: 1 };
  const algebra: Algebra = { kind: 'project', input, variables };
  return { form: 'select', variables, algebra, dataset: operation.using ?? using, template: [], described: [] };
}

class Modification {
  /** Variables that the templates read: the columns of the solutions. */
  private readonly variables: readonly string[];
  private readonly terms: StageTerms;
  /** Columns whose computed values are written. */
  private readonly inserted: readonly number[];
  /** Columns that name graphs to write. */
  private readonly graphs: readonly number[];
  private deletes: Template | null = null;
  private inserts: Template | null = null;
  private readonly gone = new QuadCollector((columns) => this.run.stage.retractIds(columns));
  private readonly made = new QuadCollector((columns) => this.run.stage.assertIds(columns));
  private applied = 0;

  constructor(
    private readonly operation: Modify,
    private readonly run: UpdateRun,
  ) {
    const quads = templateOf(operation);
    this.variables = [...templateVariables(quads)];
    this.terms = new StageTerms(run.stage, run.nodes);
    this.inserted = this.columns(templateVariables(operation.insert));
    this.graphs = this.columns(templateVariables(quads, ['g']));
  }

  async runStreaming(): Promise<void> {
    await this.withSolutions(async (batch, snapshot) => {
      this.deleteFrom(batch, snapshot);
      this.insertFrom(batch);
      await this.step('write', batch);
    });
    this.gone.flush();
    this.made.flush();
  }

  async runBuffered(): Promise<void> {
    const buffer = new SolutionBuffer(this.variables.length, this.run.memoryBudgetBytes);
    try {
      await this.withSolutions(async (batch, snapshot) => {
        buffer.append(batch);
        // Constants that the state before does not know can't be deleted.
        this.deletes ??= this.deleteTemplate(snapshot);
        await this.step('evaluate', batch);
      });
      buffer.seal();
      this.applied = 0;
      for (const batch of buffer.batches()) {
        this.deleteFrom(batch, null);
        await this.step('delete', batch);
      }
      this.gone.flush();
      if (this.operation.insert.length === 0) return;
      this.applied = 0;
      for (const batch of buffer.batches()) {
        this.insertFrom(batch);
        await this.step('insert', batch);
      }
      this.made.flush();
    } finally {
      buffer.close();
    }
  }

  private columns(names: ReadonlySet<string>): number[] {
    return [...names].map((name) => this.variables.indexOf(name));
  }

  private async step(phase: string, batch: QueryBatch): Promise<void> {
    this.applied += batch.rows;
    await this.run.step(phase, this.applied);
  }

  /** Hands over the solutions with ids of the stage, on a snapshot of the state before. */
  private async withSolutions(take: (batch: QueryBatch, snapshot: StorageSnapshot) => Promise<void>): Promise<void> {
    const snapshot = this.run.stage.snapshot();
    const targets = new GraphTargets(snapshot);
    try {
      const { with: graph } = this.operation;
      const query = patternQuery(this.operation, this.run.options.using ?? null);
      const result = await executeParsed(query, snapshot, {
        ...this.run.queryLimits(),
        scope: query.dataset === null && graph !== null ? { graph } : undefined,
        // What is deleted and inserted are asserted facts; derived ones are not there to be closed.
        inference: false,
      });
      invariant(result.kind === 'select', 'the pattern of an update gives solutions');
      for await (const batch of result.batches) {
        const settled = this.settle(batch, snapshot);
        for (const column of this.graphs) targets.check(settled.columns[column] as IdColumn, batch.rows);
        await take(settled, snapshot);
      }
    } finally {
      snapshot.close();
    }
  }

  private settle(batch: ResultBatch, snapshot: StorageSnapshot): QueryBatch {
    const columns = [...batch.columns];
    const source: SolutionSource = {
      decode: batch.decode,
      isStored: (node) => snapshot.encode(node) !== null,
    };
    for (const column of this.inserted) {
      const ids = columns[column] as IdColumn;
      columns[column] = this.terms.settle(ids, batch.rows, source);
    }
    return { rows: batch.rows, columns };
  }

  private deleteTemplate(snapshot: StorageSnapshot): Template {
    return new Template(this.operation.delete, {
      variables: this.variables,
      graph: this.operation.with,
      encode: (term) => snapshot.encode(term),
    });
  }

  private deleteFrom(batch: QueryBatch, snapshot: StorageSnapshot | null): void {
    if (snapshot !== null) this.deletes ??= this.deleteTemplate(snapshot);
    this.deletes?.fill(batch, this.terms, (quads) => this.gone.add(quads));
  }

  /** Constants are interned with the first solution, so that an operation without any leaves no term. */
  private insertFrom(batch: QueryBatch): void {
    const { stage } = this.run;
    this.inserts ??= new Template(this.operation.insert, {
      variables: this.variables,
      graph: this.operation.with,
      encode: (term) => stage.intern(term),
    });
    this.inserts.fill(batch, this.terms, (quads) => this.made.add(quads));
  }
}

/** Refuses graphs that may not be written when a solution names them. */
class GraphTargets {
  private readonly allowed = new Set<TermId>();

  constructor(private readonly snapshot: StorageSnapshot) {}

  check(graphs: IdColumn, rows: number): void {
    let [low, high] = [0, 0];
    for (let row = 0; row < rows; row++) {
      if (graphs[2 * row] === low && graphs[2 * row + 1] === high) continue;
      [low, high] = [graphs[2 * row] as number, graphs[2 * row + 1] as number];
      if (high >>> 24 === TAG.iri) this.checkOne(idOfHalves(low, high));
    }
  }

  private checkOne(graph: TermId): void {
    if (this.allowed.has(graph)) return;
    const [term] = this.snapshot.decode(Uint32Array.of(lowOf(graph), highOf(graph)), 1);
    const fault = term === undefined ? null : targetFault(term.value);
    if (fault !== null) {
      throw new SvcError('invalid_request', `a solution names the graph <${term?.value}>, which can not be written`, {
        hint: `it ${fault}; leave it out with a FILTER`,
      });
    }
    this.allowed.add(graph);
  }
}
