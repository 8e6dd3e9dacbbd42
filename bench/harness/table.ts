/** A table in Markdown that also reads well on a terminal: columns padded, numbers to the right. */

export interface Table {
  readonly title: string;
  /** What the columns mean, where their names do not say it. */
  readonly note?: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const NUMBER = /^(-|[-+]?[\d.,]+ ?(x|%|MiB)?)$/;

export function renderTable(table: Table): string {
  const lines = [table.columns, ...table.rows];
  const widths = table.columns.map((_, at) => Math.max(3, ...lines.map((line) => width(line[at] ?? ''))));
  const right = table.columns.map((_, at) => table.rows.every((row) => NUMBER.test(row[at] ?? '-')));
  const render = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => pad(cell, widths[at] as number, right[at] as boolean)).join(' | ')} |`;
  const rule = `|${widths.map((size, at) => (right[at] ? `${'-'.repeat(size + 1)}:` : '-'.repeat(size + 2))).join('|')}|`;
  const head = [`#### ${table.title}`, '', ...(table.note === undefined ? [] : [table.note, ''])];
  return [...head, render(table.columns), rule, ...table.rows.map(render), ''].join('\n');
}

function width(text: string): number {
  return [...text].length;
}

function pad(text: string, size: number, right: boolean): string {
  const missing = ' '.repeat(Math.max(0, size - width(text)));
  return right ? missing + text : text + missing;
}
