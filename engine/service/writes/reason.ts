/**
 * Runs rules over a graph as one write: evaluated in the turn of the write, written as a transaction for each rule whose facts
 * change, judged together. Without a change nothing is written.
 */

import { deadlineIn, Interrupt } from '../../base/interrupt.js';
import { companionOf } from '../../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import { ruleSetOf } from '../../reason/rules/rule-sets.js';
import type { TxId } from '../../storage/ids/layout.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import type { Judged } from '../gates/gates.js';
import { toInstant } from '../options/store-options.js';
import type { WriteOptions } from '../options/write-options.js';
import { DerivationWriter, derive, sourceOfRule } from '../reasoning/derivation.js';
import { checkPremiseGraph } from '../reasoning/premise-graph.js';
import { keepRanRule } from '../reasoning/ran-rules.js';
import { ruleDocuments } from '../reasoning/stored-documents.js';
import { transactionSources } from '../reasoning/transaction-sources.js';
import type { WriteCommand } from './command.js';
import { judgedOf } from './transact.js';

export interface ReasonRequest {
  /** Rules in Turtle; absent = those that are stored with shapes. */
  readonly rules?: string | undefined;
  /** For bare names of these rules; absent = the store's own namespace. */
  readonly prefix?: string | undefined;
  /** IRI of the graph of the premises; absent = ROOT. */
  readonly graph?: string | undefined;
}

export interface ReasonOptions extends Omit<WriteOptions, 'source' | 'validFrom' | 'actor'> {
  /** From when on derived facts hold, and until when those that do not follow any more held; absent = now. */
  readonly timestamp?: WriteOptions['timestamp'];
  /** Bytes that the evaluation may take; default 1 GiB. */
  readonly memoryBytes?: number | undefined;
  /** For the evaluation, from its turn on; absent = no deadline. */
  readonly timeoutMs?: number | undefined;
}

export interface ReasonResult extends Judged {
  readonly rules: number;
  /** Levels that have rules. */
  readonly strata: number;
  /** Facts that rules derived anew, and facts that they lost. */
  readonly asserted: number;
  readonly retracted: number;
  /** In rule order. */
  readonly perRule: readonly { readonly rule: string; readonly asserted: number }[];
  readonly graph: string;
  readonly inferredGraph: string;
  /** The first transaction; 0 = nothing was written. */
  readonly tx: TxId;
}

const WHAT = 'the reasoning';

export const reason: WriteCommand<ReasonRequest, ReasonOptions, ReasonResult> = {
  what: WHAT,

  async run(context, { rules, prefix, graph = ROOT_GRAPH_IRI }, { timestamp, memoryBytes, timeoutMs }) {
    const { engine, pipeline, control } = context;
    const validFrom = timestamp === undefined ? undefined : toInstant(timestamp, true, 'timestamp');
    const settled = context.settle({ actor: 'reasoner' });
    const inline =
      rules === undefined
        ? null
        : await ruleSetOf([{ turtle: rules, name: 'rules' }], prefix ?? context.baseNamespace, control.signal);
    return pipeline.series(WHAT, control, async (write) => {
      const deadline = timeoutMs === undefined ? undefined : deadlineIn(timeoutMs, 'update.timeout_ms');
      const interrupt = new Interrupt(WHAT, { ...control, deadline });
      const limits = { check: () => interrupt.check(), memoryBytes };
      // Nothing: so that what was accepted before is on the disk, and the evaluation reads all of it.
      await write(() => undefined, settled);
      const sourceOf = transactionSources(engine);
      const written = await withSnapshot(engine.snapshot(), async (snapshot) => {
        checkPremiseGraph(snapshot, graph);
        const set =
          inline ?? (await pipeline.keptRules.of(ruleDocuments(snapshot), context.baseNamespace, control.signal));
        const ids = new Set(set.rules.map(({ id }) => sourceOfRule(id)));
        const emptied = (source: string): boolean => inline === null && !ids.has(source);
        const derivation = derive(snapshot, graph, set, { sourceOf, emptied, limits });
        return { set, writer: new DerivationWriter(derivation) };
      });
      const { set, writer } = written;
      const { totals } = writer;
      const about = {
        rules: set.rules.length,
        strata: set.strata.length,
        asserted: totals.asserted,
        retracted: totals.retracted,
        perRule: set.rules.map(({ id }, place) => ({ rule: id, asserted: totals.perRule[place] as number })),
        graph,
        inferredGraph: companionOf(graph),
      };
      if (writer.isEmpty) return { ...about, tx: 0, findings: [] };
      const receipt = await write(
        async (stage, registry, _events, begin) => {
          const held = validFrom ?? stage.timestamp;
          if (inline !== null) {
            await withSnapshot(stage.snapshot(), (snapshot) => {
              for (const at of writer.changedRules) {
                keepRanRule(snapshot, [stage, registry], graph, set.rules[at] as (typeof set.rules)[number]);
              }
            });
          }
          writer.write(stage, registry, { begin, firstIsOpen: true, timestamp: stage.timestamp, validFrom: held });
        },
        { ...settled, source: writer.firstSource as string, validFrom },
      );
      return { ...about, tx: receipt.tx, findings: receipt.findings, ...judgedOf(receipt) };
    });
  },
};
