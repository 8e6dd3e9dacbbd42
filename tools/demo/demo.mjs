/**
 * The demo: loads a small map of the solar system into a store of its own, asks the questions that
 * stand beside it, and prints each with its answer. It uses the package by its name, as everybody does.
 *   npm run demo
 * A checkout that is not built yet is built first.
 */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const NUMBERS = new Set(['integer', 'decimal', 'double'].map((name) => XSD + name));

function show(term) {
  if (term === undefined) return '';
  if (term.termType === 'NamedNode') return term.value.replace('http://example.org/sky/', ':');
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
}

function isNumber(term) {
  return term?.termType === 'Literal' && NUMBERS.has(term.datatype.value);
}

function printTable(variables, rows) {
  const cells = rows.map((row) => row.map(show));
  const widths = variables.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (texts, right) =>
    texts
      .map((text, at) => (right(at) ? text.padStart(widths[at]) : text.padEnd(widths[at])))
      .join('  ')
      .trimEnd();
  const numeric = (at) => rows.length > 0 && rows.every((row) => isNumber(row[at]));
  console.log(`  ${line(variables, numeric)}`);
  console.log(`  ${widths.map((width) => '-'.repeat(width)).join('  ')}`);
  for (const row of cells) console.log(`  ${line(row, numeric)}`);
}

async function ask(store, query) {
  const question = /^# (.*)$/m.exec(query)?.[1];
  console.log(`\n${question}`);
  const began = performance.now();
  const answer = await store.query(query);
  if (answer.kind === 'ask') {
    console.log(`  ${answer.value ? 'yes' : 'no'}`);
  } else if (answer.kind === 'select') {
    const rows = [];
    for await (const row of answer.rows()) rows.push(row);
    printTable(answer.variables, rows);
  }
  console.log(`  (${(performance.now() - began).toFixed(1)} ms)`);
}

async function main() {
  if (!existsSync(join(HERE, '../../dist/bundle/library.js'))) await import('../build.mjs');
  const { openStore } = await import('@svc-graph/svc');
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
