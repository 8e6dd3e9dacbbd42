/**
 * SPARQL Update: a request becomes one transaction through the write pipeline, or nothing when any part
 * of it fails or a gate refuses it. It is parsed, and refused where its text is enough for that, before
 * it takes its turn.
 */

import type { Control } from '../../base/control.js';
import { deadlineIn } from '../../base/interrupt.js';
import type { Parameters } from '../../query/parameters/bind.js';
import { prepareUpdate } from '../../query/update/execute.js';
import type { TxId } from '../../storage/ids/layout.js';
import { documentReader } from '../documents/load-folder.js';
import type { Judged } from '../gates/gates.js';
import { showInstant } from '../options/store-options.js';
import type { WriteOptions } from '../options/write-options.js';
import type { WriteCommand } from './command.js';
import { judgedOf } from './transact.js';

/** `source` is `sparql-update`; what is inserted holds from `timestamp` on. */
export interface UpdateOptions extends Omit<WriteOptions, 'source' | 'validFrom'>, Control {
  readonly baseIri?: string | undefined;
  /** Terms for variables of the text, by name without the question mark. */
  readonly parameters?: Parameters | undefined;
  /** IRIs of graphs that patterns read as the default graph; not together with USING or WITH in the text. */
  readonly usingGraphs?: readonly string[] | undefined;
  /** IRIs of graphs that `GRAPH` ranges over, likewise. */
  readonly usingNamedGraphs?: readonly string[] | undefined;
  /** The folder whose documents LOAD may read; absent = LOAD is refused. */
  readonly loadFrom?: string | undefined;
  /** For the whole request, from its turn on; absent = no deadline. */
  readonly timeoutMs?: number | undefined;
  readonly memoryBudgetBytes?: number | undefined;
  /** search.max_join_rows: what a join of a pattern may give; absent = no ceiling. */
  readonly joinRowsMax?: number | undefined;
  /** query.threads: threads that may work on a large pattern, its own among them; absent = as many as there are cores. */
  readonly threads?: number | undefined;
  /** Names of rewrites and planner choices to switch off, to compare results. */
  readonly disabledRewrites?: readonly string[] | undefined;
}

export interface UpdateResult extends Judged {
  /** 0 when nothing changed. */
  readonly tx: TxId;
  readonly timestamp: string;
  /** Statements that were not open before the request and are after it. */
  readonly inserted: number;
  /** Statements that were open before the request and are not after it. */
  readonly deleted: number;
  /** IRIs of the graphs that changed. */
  readonly graphs: readonly string[];
}

const SOURCE = 'sparql-update';

export const update: WriteCommand<{ readonly text: string }, UpdateOptions, UpdateResult> = {
  forSomeGraphs: true,
  what: 'the update',

  async run(context, { text }, options) {
    const { baseIri, parameters, usingGraphs, usingNamedGraphs, loadFrom, timestamp, actor } = options;
    const { timeoutMs, memoryBudgetBytes: memoryBytes, joinRowsMax, threads, disabledRewrites } = options;
    const settled = context.settle({ timestamp, actor, source: SOURCE });
    const named = usingGraphs !== undefined || usingNamedGraphs !== undefined;
    const using = named ? { defaultGraphs: usingGraphs ?? [], namedGraphs: usingNamedGraphs ?? [] } : undefined;
    const prepared = prepareUpdate(text, { baseIri, using, parameters });
    const readDocument = loadFrom === undefined ? undefined : documentReader(loadFrom);
    const { control } = context;
    const limits = { budget: { memoryBytes, joinRowsMax, threads }, disabledRewrites, readDocument };
    const receipt = await context.pipeline.transact(
      (stage, registry) => {
        const deadline = timeoutMs === undefined ? undefined : deadlineIn(timeoutMs, 'update.timeout_ms');
        return prepared.run(stage, registry, { ...control, ...limits, deadline });
      },
      settled,
      control,
    );
    const { tx, findings, result } = receipt;
    return { tx, timestamp: showInstant(receipt.timestamp), ...result, findings, ...judgedOf(receipt) };
  },
};
