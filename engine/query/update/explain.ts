/**
 * EXPLAIN and PROFILE of an update: the plans of its patterns, on the store as it is. A run evaluates the
 * patterns and writes nothing, so that what a later operation would find of an earlier one's work is
 * not shown.
 */

import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { DatasetClause } from '../algebra/algebra.js';
import type { GraphName, GraphTarget, UpdateOperation } from '../algebra/update.js';
import { type Explained, type ExplainOptions, explainParsed, withText } from '../explain/explain-query.js';
import type { Explanation } from '../explain/explanation.js';
import { declaredPrefixes } from '../parse/prefixes.js';
import type { ExplainNode } from '../physical/explain.js';
import { prepareUpdate } from './execute.js';
import { patternQuery } from './modify.js';

export async function explainUpdate(
  snapshot: StorageSnapshot,
  text: string,
  options: ExplainOptions & { readonly using?: DatasetClause | undefined } = {},
): Promise<Explanation> {
  const { using, baseIri, parameters, ...rest } = options;
  const began = performance.now();
  const { operations } = prepareUpdate(text, { baseIri, using, parameters });
  const parseMs = performance.now() - began;
  const inputs: ExplainNode[] = [];
  const explained: Explained[] = [];
  for (const operation of operations) {
    const pattern = await explainPattern(operation, snapshot, using ?? null, rest);
    if (pattern !== null) explained.push(pattern);
    inputs.push(operationNode(operation, pattern));
  }
  const analyzed = options.analyze === true;
  const [rewriteMs, planMs] = [sum(explained.map((one) => one.rewriteMs)), sum(explained.map((one) => one.planMs))];
  const runMs = analyzed ? sum(explained.map(({ run }) => run?.timeMs ?? 0)) : null;
  return withText({
    query: text,
    form: 'update',
    rewrites: [...new Set(explained.flatMap(({ rewrites }) => rewrites))],
    disabled: options.disabledRewrites ?? [],
    prefixes: declaredPrefixes(text),
    plan: node('update', `of ${inputs.length} operations`, inputs),
    rows: analyzed ? sum(explained.map(({ run }) => run?.rows ?? 0)) : null,
    blocksRead: analyzed ? sum(explained.map(({ run }) => run?.blocksRead ?? 0)) : null,
    times: { parseMs, rewriteMs, planMs, runMs, totalMs: parseMs + rewriteMs + planMs + (runMs ?? 0) },
    memory: analyzed ? largestMemory(explained) : null,
    inference: null,
    notes: [analyzed ? 'nothing was written: only the patterns were run' : 'nothing was written'],
  });
}

async function explainPattern(
  operation: UpdateOperation,
  snapshot: StorageSnapshot,
  using: DatasetClause | null,
  options: ExplainOptions,
): Promise<Explained | null> {
  if (operation.kind !== 'modify') return null;
  const query = patternQuery(operation, using);
  const graph = query.dataset === null ? (operation.with ?? undefined) : undefined;
  return explainParsed(query, snapshot, { ...options, scope: { graph }, inference: false });
}

function operationNode(operation: UpdateOperation, pattern: Explained | null): ExplainNode {
  return node(operation.kind, detailOf(operation), pattern === null ? [] : [pattern.plan]);
}

/** Operators of their own have nothing to tell of: their inputs do the work that is shown. */
function node(operator: string, detail: string, inputs: readonly ExplainNode[]): ExplainNode {
  return {
    operator,
    detail,
    estimatedRows: sum(inputs.map(({ estimatedRows }) => estimatedRows)),
    estimatedCost: sum(inputs.map(({ estimatedCost }) => estimatedCost)),
    variables: [],
    order: [],
    actual: null,
    inputs,
  };
}

function detailOf(operation: UpdateOperation): string {
  switch (operation.kind) {
    case 'insertData':
    case 'deleteData':
      return `of ${operation.quads.length} quads`;
    case 'modify': {
      const graph = operation.with === null ? '' : ` in <${operation.with}>`;
      return `delete ${operation.delete.length}, insert ${operation.insert.length} quads a solution${graph}`;
    }
    case 'load':
      return `<${operation.source}> into ${graphText(operation.into)}`;
    case 'clear':
    case 'drop':
      return targetText(operation.target);
    case 'create':
      return `<${operation.graph}>`;
    case 'add':
    case 'copy':
    case 'move':
      return `${graphText(operation.from)} to ${graphText(operation.to)}`;
  }
}

function graphText(graph: GraphName): string {
  return graph === null ? 'DEFAULT' : `<${graph}>`;
}

function targetText(target: GraphTarget): string {
  return target.kind === 'graph' ? `<${target.iri}>` : target.kind.toUpperCase();
}

function largestMemory(explained: readonly Explained[]): Explanation['memory'] {
  let largest: Explanation['memory'] = null;
  for (const { run } of explained) {
    if (run !== null && (largest === null || run.memory.peakBytes > largest.peakBytes)) largest = run.memory;
  }
  return largest;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
