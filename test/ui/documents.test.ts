/** Documents from files: every format, dropped or opened, edited or sent as it is; and what is no document. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { json, type TestServer } from '../http/support.js';
import { assertAccessible, uiTests } from './browser.js';
import { until } from './until.js';

const { test, open } = uiTests();

const EX = 'http://ex.org/';

/** Of each format a document that says one fact of an entity of its name; its graph, where it names one. */
const DOCUMENTS: readonly { readonly file: string; readonly text: string; readonly graph: string | null }[] = [
  { file: 'a.ttl', text: `@prefix ex: <${EX}> . ex:turtle ex:says "so" .`, graph: null },
  { file: 'a.NT', text: `<${EX}ntriples> <${EX}says> "so" .`, graph: null },
  { file: 'a.trig', text: `@prefix ex: <${EX}> . ex:g { ex:trig ex:says "so" }`, graph: `${EX}g` },
  { file: 'a.nq', text: `<${EX}nquads> <${EX}says> "so" <${EX}g> .`, graph: `${EX}g` },
  {
    file: 'a.owl',
    text: `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="${EX}"><rdf:Description rdf:about="${EX}rdfxml"><ex:says>so</ex:says></rdf:Description></rdf:RDF>`,
    graph: null,
  },
  { file: 'a.jsonld', text: JSON.stringify({ '@id': `${EX}jsonld`, [`${EX}says`]: 'so' }), graph: null },
];
const NAMES = ['turtle', 'ntriples', 'trig', 'nquads', 'rdfxml', 'jsonld'];

interface Given {
  readonly file: string;
  readonly text: string;
}

async function opened(t: Parameters<typeof open>[0], colorScheme: 'light' | 'dark' = 'light') {
  const { page, server } = await open(t, { path: '/ui#/writes', colorScheme });
  const chosen = page.locator('svc-document-form input[type=file]');
  await chosen.waitFor({ state: 'attached' });
  const take = ({ file, text }: Given): Promise<void> =>
    chosen.setInputFiles({ name: file, mimeType: '', buffer: Buffer.from(text) });
  return { page, server, take };
}

async function said(server: TestServer, name: string, graph: string | null): Promise<unknown> {
  const pattern = `<${EX}${name}> <${EX}says> ?o`;
  const query = `SELECT ?o { ${graph === null ? pattern : `GRAPH <${graph}> { ${pattern} }`} }`;
  return (await json(await server.post('/query', { query }))).rows;
}

const FORM = `document.querySelector('svc-writes').renderRoot.querySelector('svc-document-form').renderRoot.querySelector('form')`;

function drop(page: Page, files: readonly Given[]): Promise<unknown> {
  return page.evaluate(
    `(() => { const dataTransfer = new DataTransfer(); for (const { file, text } of ${JSON.stringify(files)}) dataTransfer.items.add(new File([text], file)); ${FORM}.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })); })()`,
  );
}

test('a file of every format is loaded by its ending', async (t) => {
  const { page, server, take } = await opened(t);
  const made = await server.post('/graph/create', { graph: `${EX}g` });
  assert.equal(made.status, 200, await made.text());
  for (const [at, document] of DOCUMENTS.entries()) {
    await take(document);
    await until(page, `${FORM}.querySelector('textarea').value === ${JSON.stringify(document.text)}`);
    await page.getByRole('button', { name: 'Load' }).click();
    await page.getByText(/Written in transaction \d+: 1 new of 1 facts/).waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Format' }).inputValue(), NAMES[at]);
    assert.deepEqual(await said(server, NAMES[at] as string, document.graph), [{ o: 'so' }], document.file);
  }
});

test('a document of every format is tried on the shapes of the store, and nothing is written', async (t) => {
  const { page, server, take } = await opened(t);
  const turtle = `@prefix sh: <http://www.w3.org/ns/shacl#> . <${EX}S> a sh:NodeShape ; sh:targetSubjectsOf <${EX}asks> ; sh:property [ sh:path <${EX}asks> ; sh:in ( "why" ) ] .`;
  const shapes = { action: 'load', name: 'asking', turtle };
  assert.equal((await server.post('/shapes', shapes)).status, 200);
  const before = (await json(await server.get('/stats'))).transactions;
  for (const { file, text } of DOCUMENTS) {
    await take({ file, text: text.replaceAll('says', 'asks') });
    await until(page, `${FORM}.querySelector('textarea').value.includes('asks')`);
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByText('Not valid: 1 violations. Nothing was written.').waitFor();
    await page.locator('svc-document-form .finding', { hasText: `${EX}asks` }).waitFor();
    await page.getByRole('textbox', { name: 'Document' }).fill('');
  }
  assert.equal((await json(await server.get('/stats'))).transactions, before);
  assert.equal((await server.post('/shapes', { action: 'remove', name: 'asking' })).status, 200);
});

test('a file is dropped; one that is packed, or several, are told what to do, and nothing is taken for another', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await opened(t, colorScheme);
    const text = page.getByRole('textbox', { name: 'Document' });
    await drop(page, [{ file: 'some.nq', text: `<${EX}a> <${EX}b> "c" <${EX}g> .` }]);
    await until(page, `${FORM}.querySelector('textarea').value.startsWith('<')`);
    assert.equal(await page.getByRole('textbox', { name: 'Source' }).inputValue(), 'some.nq');
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByRole('alert').getByText('no set of shapes is stored').waitFor();
    await assertAccessible(page, `${colorScheme}, a document that nothing judges`);
    await drop(page, [{ file: 'some.nt.gz', text: 'x' }]);
    await page.getByRole('alert').getByText('some.nt.gz is packed').waitFor();
    await drop(page, [
      { file: 'a.nt', text: 'x' },
      { file: 'b.nt', text: 'y' },
    ]);
    await page.getByRole('alert').getByText('2 files: take one at a time').waitFor();
    assert.match(await text.inputValue(), /^<http/);
    await drop(page, [{ file: 'some.words', text: '<a> <b> <c> .' }]);
    await page.getByText('The ending of some.words names no format: it is taken for N-Quads').waitFor();
    await page.getByRole('combobox', { name: 'Format' }).selectOption('turtle');
    await page.getByRole('textbox', { name: 'Base of relative IRIs' }).fill(EX);
    await page.getByRole('button', { name: 'Load' }).click();
    await page.getByText(/Written in transaction \d+|0 new of 1 facts/).waitFor();
  }
});

test('a large file is sent as it is, and where it does not parse the line is told', async (t) => {
  const { page, take } = await opened(t);
  const line = `<${EX}s> <${EX}p> "${'long '.repeat(2000)}" .\n`;
  const padding = `# ${'x'.repeat(998)}\n`.repeat(5200);
  await take({ file: 'large.nt', text: padding + line });
  await page.getByText(/large\.nt, 5,\d{3},\d{3} bytes: too large to be edited here/).waitFor();
  await page.getByRole('button', { name: 'Validate' }).click();
  await page.getByRole('alert').getByText('no set of shapes is stored').waitFor();
  await assertAccessible(page, 'a large file');
  await page.getByRole('button', { name: 'Load' }).click();
  await page.getByText(/Written in transaction \d+: 1 new of 1 facts/).waitFor();
  await take({ file: 'broken.nt', text: `${padding}<${EX}s> <${EX}p> .\n` });
  await page.getByText(/broken\.nt, /).waitFor();
  await page.getByRole('button', { name: 'Load' }).click();
  await page
    .getByRole('alert')
    .getByText(/line 5201/)
    .waitFor();
  await page.getByRole('button', { name: 'Write a text instead' }).click();
  await page.getByRole('textbox', { name: 'Document' }).waitFor();
});
