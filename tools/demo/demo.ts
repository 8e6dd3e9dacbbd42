/**
 * The demo: loads a small map of the solar system into a store of its own, asks the questions that
 * stand beside it, and prints each with its answer. It uses the public face of the package only.
 *   npm run demo
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore, type Row, type Store, type Term } from '../../interfaces/library/index.js';

/** Built, this file stands at <output>/tools/demo; the data stays in tools/demo. */
const HERE = fileURLToPath(new URL('../../../tools/demo/', import.meta.url));

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const NUMBERS = new Set(['integer', 'decimal', 'double'].map((name) => XSD + name));

function show(term: Term | undefined): string {
  if (term === undefined) return '';
  if (term.termType === 'NamedNode') return term.value.replace('http://example.org/sky/', ':');
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
}

function isNumber(term: Term | undefined): boolean {
  return term?.termType === 'Literal' && NUMBERS.has(term.datatype.value);
}

function printTable(variables: readonly string[], rows: readonly Row[]): void {
  const cells = rows.map((row) => row.map(show));
  const widths = variables.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (texts: readonly string[], right: (at: number) => boolean): string =>
    texts
      .map((text, at) => (right(at) ? text.padStart(widths[at] as number) : text.padEnd(widths[at] as number)))
      .join('  ')
      .trimEnd();
  const numeric = (at: number): boolean => rows.length > 0 && rows.every((row) => isNumber(row[at]));
  console.log(`  ${line(variables, numeric)}`);
  console.log(`  ${widths.map((width) => '-'.repeat(width)).join('  ')}`);
  for (const row of cells) console.log(`  ${line(row, numeric)}`);
}

async function ask(store: Store, query: string): Promise<void> {
  const question = /^# (.*)$/m.exec(query)?.[1];
  console.log(`\n${question}`);
  const began = performance.now();
  const answer = await store.query(query);
  if (answer.kind === 'ask') {
    console.log(`  ${answer.value ? 'yes' : 'no'}`);
  } else if (answer.kind === 'select') {
    const rows: Row[] = [];
    for await (const row of answer.rows()) rows.push(row);
    printTable(answer.variables, rows);
  }
  console.log(`  (${(performance.now() - began).toFixed(1)} ms)`);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
  const store = await openStore(join(folder, 'sky.db'));
  try {
    const loaded = await store.load(join(HERE, 'sky.ttl'), { source: 'demo' });
    console.log(`Loaded ${loaded.quadsAdded} facts about the solar system (transaction ${loaded.tx}).`);
    const questions = join(HERE, 'questions');
    for (const name of readdirSync(questions).sort()) await ask(store, readFileSync(join(questions, name), 'utf8'));
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
