/**
 * Rows as a table for people: columns as wide as the first rows need, later rows written as they come.
 * On a terminal the table fits its width, and cells that are too long are cut.
 */

import { withoutControls } from '../../../engine/base/text.js';
import { tableTerm } from '../../../engine/query/results/delimited.js';
import type { Term } from '../../../engine/rdf/terms.js';

export interface TableOptions {
  /** Columns of the terminal; null = as wide as it gets. */
  readonly widthMax: number | null;
  readonly now?: () => number;
}

/** Rows that decide on the widths, and how long they are waited for. */
const SAMPLE_ROWS = 100;
const SAMPLE_MS = 200;
/** Text is handed on when it is so long, or so old. */
const CHUNK_CHARACTERS = 8192;
const CHUNK_MS = 100;
const GAP = '  ';
const CELL_WIDTH_MIN = 8;

export async function* tableLines(
  header: readonly string[],
  rows: AsyncIterable<readonly string[]>,
  { widthMax, now = () => performance.now() }: TableOptions,
): AsyncGenerator<string, void, undefined> {
  let sample: (readonly string[])[] | null = [];
  let widths: readonly number[] = [];
  let text = '';
  let [began, written] = [0, now()];
  const begin = (rowsSoFar: readonly (readonly string[])[]): string => {
    widths = columnWidths([header, ...rowsSoFar], widthMax);
    const rule = widths.map((width) => '-'.repeat(width));
    return [header, rule, ...rowsSoFar].map((row) => lineOf(row, widths, widthMax !== null)).join('');
  };
  for await (const row of rows) {
    if (sample !== null) {
      // What the query takes to its first row is not the time of the others.
      if (sample.push(row) === 1) began = now();
      if (sample.length < SAMPLE_ROWS && now() - began < SAMPLE_MS) continue;
      text = begin(sample);
      sample = null;
    } else text += lineOf(row, widths, widthMax !== null);
    if (text.length < CHUNK_CHARACTERS && now() - written < CHUNK_MS) continue;
    yield text;
    text = '';
    written = now();
  }
  if (sample !== null) text = begin(sample);
  if (text !== '') yield text;
}

/** A term in a cell. What a terminal would take for a command is shown by its code. */
export function cellText(term: Term | undefined, nameOf: (iri: string) => string): string {
  if (term === undefined) return '';
  return withoutControls(cellOf(term, nameOf));
}

function cellOf(term: Term, nameOf: (iri: string) => string): string {
  switch (term.termType) {
    case 'NamedNode':
      return nameOf(term.value);
    case 'Literal':
      return tableTerm(term).replace(/\^\^<([^<>]*)>$/, (_, datatype: string) => `^^${nameOf(datatype)}`);
    case 'Quad':
      return `<<( ${[term.subject, term.predicate, term.object].map((part) => cellOf(part, nameOf)).join(' ')} )>>`;
    default:
      return tableTerm(term);
  }
}

function columnWidths(rows: readonly (readonly string[])[], widthMax: number | null): number[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(1, ...rows.map((row) => displayWidth(row[at] ?? ''))));
  if (widthMax === null) return widths;
  const room = widthMax - GAP.length * Math.max(0, widths.length - 1);
  // The widest columns give first, down to the same width.
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, 0) - room;
    const widest = Math.max(...widths);
    if (excess <= 0 || widest <= CELL_WIDTH_MIN) return widths;
    const second = Math.max(CELL_WIDTH_MIN, ...widths.filter((width) => width < widest));
    const sharing = widths.filter((width) => width === widest).length;
    const less = Math.min(widest - second, Math.ceil(excess / sharing));
    for (const [at, width] of widths.entries()) if (width === widest) widths[at] = width - less;
  }
}

function lineOf(row: readonly string[], widths: readonly number[], cuts: boolean): string {
  const cells = widths.map((width, at) => {
    const cell = row[at] ?? '';
    const shown = cuts ? cutTo(cell, width) : cell;
    return shown + ' '.repeat(Math.max(0, width - displayWidth(shown)));
  });
  return `${cells.join(GAP).trimEnd()}\n`;
}

/** Scripts whose characters take two columns, and marks that take none. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;
const MARK = /[\p{Mn}\p{Me}\p{Cf}]/u;
const ASCII = /^[\x20-\x7e]*$/;

export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

function cutTo(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
