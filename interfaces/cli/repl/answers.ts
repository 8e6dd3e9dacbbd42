/** Shows an answer in the form that the session asks for, as it comes, and tells what that took. */

import { SvcError } from '../../../engine/base/errors.js';
import {
  RESULT_FORMAT_NAMES,
  RESULT_FORMATS,
  type ResultFormat,
  type ResultKind,
  takesKind,
} from '../../../engine/query/results/formats.js';
import type { Quad } from '../../../engine/rdf/terms.js';
import type { QueryAnswer, Row } from '../../../engine/service/reads/query.js';
import { cellText, tableLines } from '../output/table.js';
import type { AnswerOutput } from './output.js';

/** A format for each kind of answer, since none but the table takes all. */
export type Formats = Readonly<Record<ResultKind, ResultFormat>>;

export const TABLE_FORMATS: Formats = { rows: 'table', boolean: 'table', graph: 'table' };

/** The formats with `name` for every kind that it takes. */
export function withFormat(formats: Formats, name: string): Formats {
  if (!Object.hasOwn(RESULT_FORMATS, name)) {
    throw new SvcError('unknown_format', `there is no result format '${name}'`, {
      hint: `the formats are ${RESULT_FORMAT_NAMES.join(', ')}`,
    });
  }
  const format = name as ResultFormat;
  const kinds = Object.keys(formats) as ResultKind[];
  return Object.fromEntries(kinds.map((kind) => [kind, takesKind(format, kind) ? format : formats[kind]])) as Formats;
}

export interface ShowOptions {
  readonly formats: Formats;
  /** Rows of a table; null = all. */
  readonly rowsMax: number | null;
  readonly widthMax: number | null;
  /** Binary forms are not for terminals. */
  readonly isTerminal: boolean;
  readonly nameOf: (iri: string) => string;
}

export interface Shown {
  /** Null where the answer is a document, whose rows nobody counted. */
  readonly rows: number | null;
  readonly unit: 'row' | 'triple';
  /** There were more rows than were asked for. */
  readonly wasCut: boolean;
  readonly firstMs: number;
  readonly totalMs: number;
}

export async function showAnswer(
  answer: QueryAnswer,
  output: AnswerOutput,
  began: number,
  options: ShowOptions,
): Promise<Shown> {
  const kind: ResultKind = answer.kind === 'select' ? 'rows' : answer.kind === 'ask' ? 'boolean' : 'graph';
  const format = options.formats[kind];
  const counter = new Counter(began, options.rowsMax);
  try {
    if (format !== 'table') await showDocument(answer, format, output, counter, options);
    else if (answer.kind === 'ask') await output.write(`${answer.value}\n`);
    else await showTable(answer, output, counter, options);
  } finally {
    if (answer.kind !== 'ask') answer.close();
  }
  const counted = format === 'table' && answer.kind !== 'ask';
  return {
    rows: counted ? counter.rows : null,
    unit: answer.kind === 'graph' ? 'triple' : 'row',
    wasCut: counter.wasCut,
    firstMs: counter.firstMs ?? performance.now() - began,
    totalMs: performance.now() - began,
  };
}

async function showDocument(
  answer: QueryAnswer,
  format: ResultFormat,
  output: AnswerOutput,
  counter: Counter,
  { isTerminal }: ShowOptions,
): Promise<void> {
  const { binary, label } = RESULT_FORMATS[format];
  if (binary && isTerminal) {
    throw new SvcError('invalid_request', `${label} is binary, and answers go to a terminal`, {
      hint: 'name a file with .output',
    });
  }
  let last: string | Uint8Array = '\n';
  for await (const chunk of answer.encode(format)) {
    counter.first();
    await output.write(chunk);
    if (chunk.length > 0) last = chunk;
  }
  if (typeof last === 'string' && !last.endsWith('\n')) await output.write('\n');
}

async function showTable(
  answer: Exclude<QueryAnswer, { kind: 'ask' }>,
  output: AnswerOutput,
  counter: Counter,
  { widthMax, nameOf }: ShowOptions,
): Promise<void> {
  const [header, rows] =
    answer.kind === 'select'
      ? [answer.variables.map((name) => `?${name}`), counter.count(answer.rows())]
      : [['subject', 'predicate', 'object'], counter.count(triples(answer.quads()))];
  async function* cells(): AsyncGenerator<string[]> {
    for await (const row of rows) yield Array.from(row, (term) => cellText(term, nameOf));
  }
  for await (const text of tableLines(header, cells(), { widthMax })) await output.write(text);
}

async function* triples(quads: AsyncIterable<Quad>): AsyncGenerator<Row> {
  for await (const { subject, predicate, object } of quads) yield [subject, predicate, object];
}

/** Counts what goes by, notes when it began, and ends it at the limit. */
class Counter {
  rows = 0;
  wasCut = false;
  firstMs: number | null = null;

  constructor(
    private readonly began: number,
    private readonly rowsMax: number | null,
  ) {}

  first(): void {
    this.firstMs ??= performance.now() - this.began;
  }

  async *count(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    for await (const row of rows) {
      this.first();
      if (this.rows === this.rowsMax) {
        this.wasCut = true;
        return;
      }
      this.rows++;
      yield row;
    }
  }
}

export function describeShown({ rows, unit, wasCut, firstMs, totalMs }: Shown): string {
  const counted = rows === null ? '' : `${rows.toLocaleString('en-US')} ${unit}${rows === 1 ? '' : 's'}; `;
  const cut = wasCut ? `there are more: .limit is ${rows}; ` : '';
  return `${counted}${cut}first after ${milliseconds(firstMs)}, all after ${milliseconds(totalMs)}\n`;
}

export function milliseconds(value: number): string {
  return value < 100 ? `${value.toFixed(1)} ms` : `${Math.round(value).toLocaleString('en-US')} ms`;
}
