/** The tables of the time benchmark: one for every way in which history came about. */
import { median, show, showRatio } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import { type Measured, SLICES, type SliceName, type TimeCase } from './case.js';

export function timeTables(cases: readonly TimeCase[]): Table[] {
  const kinds = [...new Set(cases.map(({ made }) => made))];
  return kinds.map((made) => {
    const own = cases.filter((one) => one.made === made);
    return {
      title: `Time, history made by ${made}`,
      note: [
        'Milliseconds, and the ratio to the store of just the visible rows. Visible rows:',
        `${own
          .filter(({ delta }) => !delta)
          .map(showVisible)
          .join('; ')}.`,
        ...own.flatMap(({ history, errors }) => errors.map((error) => `${history} %: ${error}`)),
      ].join(' '),
      columns: ['what', 'history', ...SLICES.flatMap((name) => [name, 'ratio'])],
      rows: questionsOf(own).flatMap((question) => own.map((one) => toRow(question, one))),
    };
  });
}

function showVisible({ history, rows, transactions, visible }: TimeCase): string {
  const each = SLICES.map((name) => `${name} ${visible[name].toLocaleString('en-US')}`).join(', ');
  return `${history} % of ${rows.toLocaleString('en-US')} (${transactions} transactions): ${each}`;
}

function questionsOf(cases: readonly TimeCase[]): string[] {
  return [...new Set(cases.flatMap(({ runs }) => runs.flatMap(({ measured }) => measured.map((m) => m.question))))];
}

function toRow(question: string, one: TimeCase): string[] {
  const cells = SLICES.flatMap((slice) => {
    const found = one.runs.flatMap(({ measured }) => measured.filter((m) => isOf(m, slice, question)));
    if (found.length === 0) return ['-', '-'];
    return [show(median(found.map(({ ms }) => ms))), showRatio(median(found.map(({ ms, plainMs }) => ms / plainMs)))];
  });
  return [question, `${one.history} %${one.delta ? ' +1 %' : ''}`, ...cells];
}

function isOf(measured: Measured, slice: SliceName, question: string): boolean {
  return measured.slice === slice && measured.question === question;
}
