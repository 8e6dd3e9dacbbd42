/**
 * An explanation as text: the tree of operators on the left, figures in columns on the right, totals at
 * the foot. IRIs are shortened by the prefixes of the query; a long detail is cut (the object has it
 * whole). A row is marked where the estimate was wrong by the factor below.
 */

import { RDF_NS, XSD } from '../../rdf/terms.js';
import type { ExplainNode } from '../physical/explain.js';
import type { Explanation } from './explanation.js';
import { iriShortener } from './shorten-iris.js';

/** Plans survive smaller errors. */
const WRONG_FACTOR = 10;
/** Operator and detail, with their place in the tree. */
const LABEL_LENGTH_MAX = 90;
/** What is left of a label however deep it stands. */
const LABEL_LENGTH_MIN = 30;
const MEGABYTE = 2 ** 20;

interface Line {
  readonly label: string;
  readonly cells: readonly string[];
  readonly mark: string;
}

export function formatExplanation(explanation: Omit<Explanation, 'text'>): string {
  const analyzed = explanation.times.runMs !== null;
  const title: Line = {
    label: '',
    cells: analyzed ? ['estimated', 'rows', 'own ms', 'all ms', 'blocks', 'batches'] : ['estimated', 'cost'],
    mark: '',
  };
  const shorten = iriShortener({ rdf: RDF_NS, xsd: XSD, ...explanation.prefixes });
  const lines = [title, ...treeLines(explanation.plan, { first: '', rest: '' }, analyzed, shorten)];
  return `${align(lines).join('\n')}\n\n${footLines(explanation).join('\n')}\n`;
}

interface Indent {
  /** Before the operator itself, and before all below it. */
  readonly first: string;
  readonly rest: string;
}

function treeLines(node: ExplainNode, indent: Indent, analyzed: boolean, shorten: (detail: string) => string): Line[] {
  const detail = shorten(node.detail).replace(/\s+/g, ' ');
  const room = Math.max(LABEL_LENGTH_MIN, LABEL_LENGTH_MAX - indent.first.length);
  const label = indent.first + cut(detail === '' ? node.operator : `${node.operator} ${detail}`, room);
  const own: Line = { label, cells: analyzed ? actualCells(node) : plannedCells(node), mark: markOf(node) };
  const last = node.inputs.length - 1;
  const below = node.inputs.flatMap((input, at) => {
    const inner = {
      first: `${indent.rest}${at === last ? '└─ ' : '├─ '}`,
      rest: indent.rest + (at === last ? '   ' : '│  '),
    };
    return treeLines(input, inner, analyzed, shorten);
  });
  return [own, ...below];
}

function plannedCells(node: ExplainNode): string[] {
  return [count(node.estimatedRows), count(node.estimatedCost)];
}

function actualCells({ estimatedRows, actual }: ExplainNode): string[] {
  if (actual === null) return [count(estimatedRows), '-', '-', '-', '-', '-'];
  const { rows, ownTimeMs, timeMs, blocksRead, batches } = actual;
  return [
    count(estimatedRows),
    count(rows),
    ownTimeMs.toFixed(2),
    timeMs.toFixed(2),
    count(blocksRead),
    count(batches),
  ];
}

/** How wrong the estimate was, where that is worth a look. Estimates are for one run. */
function markOf({ actual, estimatedRows }: ExplainNode): string {
  if (actual === null || actual.runs === 0) return '';
  const { threads = 1 } = actual;
  const shared = threads > 1 ? `${count(threads)} threads` : '';
  const rows = actual.rows / actual.runs;
  const runs = actual.runs > 1 ? `${count(actual.runs)} runs` : '';
  const [more, less] = [Math.max(rows, 1) / Math.max(estimatedRows, 1), Math.max(estimatedRows, 1) / Math.max(rows, 1)];
  const wrong =
    more >= WRONG_FACTOR
      ? `! estimate ${count(more)} times too low`
      : less >= WRONG_FACTOR && actual.complete
        ? `! estimate ${count(less)} times too high`
        : '';
  return [shared, runs, wrong].filter((part) => part !== '').join('  ');
}

function align(lines: readonly Line[]): string[] {
  const width = Math.max(...lines.map(({ label }) => label.length));
  const widths = lines[0]?.cells.map((_, at) => Math.max(...lines.map(({ cells }) => cells[at]?.length ?? 0))) ?? [];
  return lines.map(({ label, cells, mark }) => {
    const figures = cells.map((cell, at) => cell.padStart(widths[at] as number)).join('  ');
    return `${label.padEnd(width)}  ${figures}${mark === '' ? '' : `  ${mark}`}`.trimEnd();
  });
}

function footLines(explanation: Omit<Explanation, 'text'>): string[] {
  const { times, memory, rows, blocksRead, rewrites, disabled, notes } = explanation;
  const steps = [
    `parse ${times.parseMs.toFixed(2)}`,
    `rewrite ${times.rewriteMs.toFixed(2)}`,
    `plan ${times.planMs.toFixed(2)}`,
    ...(times.runMs === null ? [] : [`run ${times.runMs.toFixed(2)}`]),
  ];
  const lines: string[] = [];
  if (rows !== null) lines.push(`rows: ${count(rows)}; blocks read: ${count(blocksRead ?? 0)}`);
  lines.push(`milliseconds: ${steps.join(', ')}`);
  if (memory !== null) {
    const { peakBytes, limitBytes, spilledBytes } = memory;
    lines.push(
      `memory: at most ${megabytes(peakBytes)} of ${megabytes(limitBytes)}; spilled ${megabytes(spilledBytes)}`,
    );
  }
  lines.push(`rewrites: ${rewrites.length === 0 ? 'none changed the query' : rewrites.join(', ')}`);
  if (disabled.length > 0) lines.push(`switched off: ${disabled.join(', ')}`);
  return [...lines, ...notes, ...requestLines(explanation.plan)];
}

/** What was asked of other endpoints, request by request. */
function requestLines({ detail, actual, inputs }: ExplainNode): string[] {
  const { requests = [], requestsMade = 0 } = actual ?? {};
  const lines = requests.map(({ member, page, counts, combinations, rows, timeMs }, at) => {
    const whole = counts === true ? 'the count of everything' : 'everything';
    const all = page === undefined ? whole : `a page of ${count(page)} rows`;
    const what = combinations === 0 ? all : `${count(combinations)} combinations`;
    const to = member === undefined ? '' : `to ${member} `;
    return `  ${at + 1}. ${to}for ${what}: ${count(rows)} rows in ${timeMs.toFixed(1)} ms`;
  });
  const more = requestsMade - requests.length;
  return [
    ...(requestsMade === 0 ? [] : [`requests to ${detail}: ${count(requestsMade)}`]),
    ...lines,
    ...(more === 0 ? [] : [`  and ${count(more)} more`]),
    ...inputs.flatMap(requestLines),
  ];
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function megabytes(bytes: number): string {
  return bytes === 0 ? '0 MB' : `${(bytes / MEGABYTE).toLocaleString('en-US', { maximumFractionDigits: 2 })} MB`;
}
