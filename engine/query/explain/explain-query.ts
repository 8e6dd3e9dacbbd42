/**
 * EXPLAIN and PROFILE of a query: every step on its way is timed, the rewrites that changed it are noted,
 * and after a run the operators tell what they did. A run makes the whole answer and keeps none of it.
 */

import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { ParsedQuery } from '../algebra/algebra.js';
import type { InferenceReport } from '../inference/infer-classes.js';
import { openQuery } from '../open-query.js';
import { type QueryOptions, refuseFutureTx } from '../options.js';
import { parseQuery } from '../parse/parse.js';
import { declaredPrefixes } from '../parse/prefixes.js';
import { type ExplainNode, explainPlan } from '../physical/explain.js';
import { refuseUnknownScope } from '../refusals.js';
import { resolveQuery } from '../resolve.js';
import { formatExplanation } from './explain-text.js';
import type { ExplainedMemory, Explanation } from './explanation.js';

export interface ExplainOptions extends QueryOptions {
  /** Runs the query, so that the explanation holds what happened. */
  readonly analyze?: boolean | undefined;
}

/** What is known of one query without its text. */
export interface Explained {
  readonly plan: ExplainNode;
  readonly rewrites: readonly string[];
  readonly inference: InferenceReport | null;
  readonly rewriteMs: number;
  readonly planMs: number;
  readonly run: {
    readonly timeMs: number;
    readonly rows: number;
    readonly blocksRead: number;
    readonly memory: ExplainedMemory;
  } | null;
}

export async function explain(
  snapshot: StorageSnapshot,
  text: string,
  options: ExplainOptions = {},
): Promise<Explanation> {
  const began = performance.now();
  const parsed = parseQuery(text, { baseIri: options.baseIri });
  const parseMs = performance.now() - began;
  const { plan, rewrites, inference, rewriteMs, planMs, run } = await explainParsed(parsed, snapshot, options);
  const runMs = run?.timeMs ?? null;
  return withText({
    query: text,
    form: parsed.form,
    rewrites,
    disabled: options.disabledRewrites ?? [],
    prefixes: declaredPrefixes(text),
    plan,
    rows: run?.rows ?? null,
    blocksRead: run?.blocksRead ?? null,
    times: { parseMs, rewriteMs, planMs, runMs, totalMs: parseMs + rewriteMs + planMs + (runMs ?? 0) },
    memory: run?.memory ?? null,
    inference,
    notes: [...notesOf(inference), ...lostNotes(options)],
  });
}

export function withText(explanation: Omit<Explanation, 'text'>): Explanation {
  return { ...explanation, text: formatExplanation(explanation) };
}

/** `parsed` as it comes from the parser. */
export async function explainParsed(
  parsed: ParsedQuery,
  snapshot: StorageSnapshot,
  options: ExplainOptions,
): Promise<Explained> {
  refuseFutureTx(options.time, snapshot.tx);
  refuseUnknownScope(snapshot, options);
  const began = performance.now();
  const rewrites = new Set<string>();
  const resolved = await resolveQuery(parsed, snapshot, options, (name) => rewrites.add(name));
  const rewritten = performance.now();
  const { plan, root, execution, budget } = openQuery(resolved.query, snapshot, options);
  const planned = performance.now();
  const blocksBefore = snapshot.counters.blocksRead;
  let rows = 0;
  try {
    if (options.analyze) {
      for await (const batch of execution.batches()) {
        rows += batch.rows;
        if (parsed.form === 'ask') break;
      }
    }
  } finally {
    execution.close();
  }
  const run = {
    timeMs: performance.now() - planned,
    rows: parsed.form === 'ask' ? Math.min(rows, 1) : rows,
    blocksRead: snapshot.counters.blocksRead - blocksBefore,
    memory: {
      peakBytes: budget.peakBytes,
      limitBytes: budget.limitBytes,
      spilledBytes: budget.spill.writtenBytes,
    },
  };
  return {
    plan: explainPlan(plan, options.analyze ? root : null),
    rewrites: [...rewrites],
    inference: resolved.inference,
    rewriteMs: rewritten - began,
    planMs: planned - rewritten,
    run: options.analyze ? run : null,
  };
}

function lostNotes({ members }: QueryOptions): string[] {
  return [...(members?.lost ?? [])].map(([name, error]) => `the member ${name} is left out: ${error}`);
}

function notesOf(inference: InferenceReport | null): string[] {
  if (inference === null) return [];
  if (!inference.applied) return [`inference: ${inference.note}`];
  return inference.types.map(({ type, subclasses }) => `inference: ${type} with ${subclasses.length} subclasses`);
}
