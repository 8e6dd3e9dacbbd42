/** Shares in the page: made and downloaded, opened and dropped, staged, in quarantine, judged again, brought into ROOT; and what is no share. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { json, type TestServer } from '../http/support.js';
import { assertAccessible, uiTests } from './browser.js';

const { test, open, server: theServer } = uiTests();

const EX = 'http://example.org/';
const VIEW = '/ui#/writes?part=shares';
const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . <${EX}S> a sh:NodeShape ; sh:targetClass <${EX}Moon> ; sh:property [ sh:path <${EX}size> ; sh:minCount 1 ] .`;

/** The files of a share of other facts, as another store would have made them. */
async function shareOf(server: TestServer, graph: string, turtle: string) {
  await server.post('/graph/create', { graph });
  assert.equal((await server.post('/knot', { graph, turtle })).status, 200);
  const response = await server.post('/share', { scope: { graph }, no_shapes: true });
  const { files, share_id: id } = await json(response);
  assert.equal(response.status, 200);
  return { files: files as Record<string, string>, id: String(id) };
}

function filesOf(files: Readonly<Record<string, string>>) {
  return Object.entries(files).map(([name, text]) => ({ name, mimeType: '', buffer: Buffer.from(text) }));
}

const chosen = (page: Page) => page.locator('svc-import-form input[type=file]');
const imports = (page: Page) => page.getByRole('list', { name: 'Imports' });

test('a graph is shared as an archive that is opened again, staged, and brought into ROOT by the keyboard', async (t) => {
  const server = await theServer();
  const graph = `${EX}moons`;
  await server.post('/graph/create', { graph });
  await server.post('/knot', { graph, turtle: `<${EX}io> <${EX}of> <${EX}jupiter> ; <${EX}name> "Io" .` });
  const { page } = await open(t, { path: VIEW });
  await page.getByText('No share was imported.').waitFor();
  await page.getByRole('textbox', { name: 'Graph that is shared' }).fill(graph);
  await page.keyboard.press('Enter');
  await page.getByText('2 triples, ').waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download it' }).press('Enter');
  const download = await downloading;
  assert.match(download.suggestedFilename(), /^share-[0-9a-f]{12}\.qpack\.tar\.gz$/);
  const archive = await readFile(await download.path());
  assert.match(gunzipSync(archive).toString('latin1'), /ustar.*<http:\/\/example\.org\/io>/s);
  await chosen(page).setInputFiles({ name: 'moons.qpack.tar.gz', mimeType: '', buffer: archive });
  await page.getByRole('textbox', { name: 'Who it came from' }).fill('the <b>observatory</b> \u202Ehere');
  await page.keyboard.press('Enter');
  await page.getByText('It is staged. Nothing of ROOT was written. 2 triples accepted, 0 in quarantine.').waitFor();
  const row = imports(page).getByRole('listitem').filter({ hasText: 'the <b>observatory</b> \\u202Ehere' });
  await row.waitFor();
  await assertAccessible(page, 'a staged share');
  await row.getByRole('button', { name: /^Bring into ROOT/ }).press('Enter');
  await page.getByText(/Written in transaction \d+: 2 new of 2 facts\./).waitFor();
  await row.getByText('in ROOT').waitFor();
  const { rows } = await json(await server.post('/query', { query: `SELECT ?name { <${EX}io> <${EX}name> ?name }` }));
  assert.deepEqual(rows, [{ name: 'Io' }]);
});

test('what shapes forbid is in quarantine, told by day and night, and judged again when they allow it', async (t) => {
  const server = await theServer();
  for (const colorScheme of ['light', 'dark'] as const) {
    const name = `${EX}${colorScheme}`;
    const { files } = await shareOf(server, `${name}/graph`, `<${name}/io> a <${EX}Moon> .`);
    const shapes = { action: 'load', name: 'moons', turtle: SHAPES };
    assert.equal((await server.post('/shapes', shapes)).status, 200);
    const { page } = await open(t, { path: VIEW, colorScheme });
    await chosen(page).setInputFiles(filesOf(files));
    await page.getByRole('textbox', { name: 'Who it came from' }).fill(colorScheme);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('It is in quarantine').waitFor();
    await page
      .locator('svc-import-form')
      .getByText(/breaks a shape: /)
      .waitFor();
    const row = imports(page)
      .getByRole('listitem')
      .filter({ hasText: 'in quarantine' })
      .filter({ hasText: colorScheme })
      .first();
    await row.getByRole('button', { name: /^Why/ }).click();
    await row.getByText('What keeps it from ROOT').waitFor();
    await assertAccessible(page, `a share in quarantine, ${colorScheme}`);
    assert.equal((await server.post('/shapes', { action: 'remove', name: 'moons' })).status, 200);
    await page.getByRole('button', { name: 'Judge it again' }).click();
    await page.getByText('It is staged. Nothing of ROOT was written. 1 triples accepted, 0 in quarantine.').waitFor();
  }
});

test('what is no share, or not what its manifest says, is refused, and nothing is stored', async (t) => {
  const server = await theServer();
  const { files } = await shareOf(server, `${EX}other`, `<${EX}a> <${EX}b> "c" .`);
  const { page } = await open(t, { path: VIEW, viewport: { width: 390, height: 800 } });
  const refused = async (given: Parameters<ReturnType<typeof chosen>['setInputFiles']>[0], why: RegExp) => {
    await chosen(page).setInputFiles(given);
    await page.getByRole('alert').getByText(why).waitFor();
  };
  const file = (name: string, buffer: Buffer) => ({ name, mimeType: '', buffer });
  await refused(filesOf({ 'export.nt': '' }), /manifest\.json and shapes\.ttl are missing/);
  await refused(file('a.tar.gz', Buffer.from('no gzip')), /can not be unpacked/);
  await refused(file('a.tar.gz', gzipSync(Buffer.from('no tar'.repeat(200)))), /no archive of a share/);
  await refused(file('a.tar.gz', gzipSync(Buffer.alloc(65 * 1024 * 1024))), /more than 67108864 bytes/);
  await refused([...filesOf(files).slice(0, 2), file('shapes.ttl', Buffer.from([0xff]))], /shapes\.ttl is not UTF-8/);
  await chosen(page).setInputFiles(
    filesOf({ ...files, 'export.nt': `${files['export.nt']}<${EX}x> <${EX}y> <javascript:1> .\n` }),
  );
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('alert').getByText('Nothing was written.').waitFor();
  await assertAccessible(page, 'a refused share, on a phone');
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
  assert.ok(width <= 390, `${width} pixels`);
  await page.getByRole('textbox', { name: 'Graph that is shared' }).fill(`${EX}nowhere`);
  await page.getByRole('button', { name: 'Make a share' }).click();
  await page
    .getByRole('alert')
    .getByText(/nowhere/)
    .waitFor();
});
