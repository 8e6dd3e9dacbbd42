/** The query workbench in a browser: what people ask, what they see of it, and what bad data does to it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { assertAccessible, uiTests } from './browser.js';
import { cells, run, texts, write } from './editor.js';

const { test, open, server: theServer } = uiTests();

const EX = 'http://ex.org/';
const ROWS = 30_000;
const TURTLE = [
  '@prefix ex: <http://ex.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .',
  ...Array.from(
    { length: 40 },
    (_, at) =>
      `ex:s${at} a ex:Thing ; ex:amount ${at} ; ex:since "2024-01-${String((at % 28) + 1).padStart(2, '0')}"^^xsd:date .`,
  ),
  'ex:odd ex:text "<img src=x onerror=window.broken=1><script>window.broken=1</script>", "שלום <b>"@he, "a\\u202Eb\\u0000c" ; ex:link <javascript:window.broken=1> .',
].join('\n');

let loaded: Promise<void> | undefined;
function data(): Promise<void> {
  loaded ??= (async () => {
    const server = await theServer();
    assert.equal((await server.post('/knot', { turtle: TURTLE.replace('\\u0000', '\\u0001') })).status, 200);
  })();
  return loaded;
}

test('rows, truth, triples and refusals: each as it came, by day and by night', async (t) => {
  await data();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await open(t, { colorScheme });
    await run(page, `SELECT ?s ?n { ?s <${EX}amount> ?n } ORDER BY ?n`);
    assert.deepEqual(await texts(page, 3), [`${EX}s2`, '2']);
    await page.getByText('40 rows').waitFor();
    await assertAccessible(page, `${colorScheme}: rows`);
    await page.getByRole('button', { name: 'Raw' }).click();
    assert.deepEqual(await texts(page, 1), ['?s\t?n']);
    await page.getByRole('button', { name: 'Chart' }).click();
    await page.locator('svc-result-chart canvas').waitFor();
    await assertAccessible(page, `${colorScheme}: chart`);
    await page.getByRole('button', { name: 'Table' }).click();

    await run(page, 'ASK { ?s ?p 39 }');
    await page.getByText('Yes', { exact: true }).waitFor();
    await run(page, `CONSTRUCT { ?s <${EX}twice> ?n } { ?s <${EX}amount> ?n } LIMIT 5`);
    await page.getByText('5 triples').waitFor();
    assert.equal((await texts(page, 1))[1], `${EX}twice`);
    await run(page, 'SELECT ?x { ?x nope:p ?y }');
    await page.getByRole('alert').getByText('nope:').waitFor();
    await page.locator('.cm-lintRange-error').first().waitFor();
    await assertAccessible(page, `${colorScheme}: a refusal`);
    await page.getByRole('button', { name: 'Profile' }).click();
    await page.locator('svc-plan').getByRole('alert').waitFor();
    await write(page, `SELECT ?s { ?s a <${EX}Thing> }`);
    await page.getByRole('button', { name: 'Profile' }).click();
    await page.locator('svc-plan').getByRole('cell', { name: 'scan' }).waitFor();
    await assertAccessible(page, `${colorScheme}: a plan`);
  }
});

test('a mark stands under the character where a query goes wrong, also at its end, and F8 leads to it', async (t) => {
  const { page } = await open(t);
  const problem = page.locator('footer').getByText(/line \d+, column \d+/);
  const cases: readonly (readonly [string, string])[] = [
    ['SELECT ?x WHERE {\n  ?x ?p ?y . FILTER(?y & 3)\n}', 'line 2, column 24'],
    ['SELECT ?x WHERE {\n  ?x ?p', 'line 2, column 7'],
    ['SELECT ?x WHERE { ?x foaf:name ?y }', 'line 1, column 22'],
    ['SELECT ?x WHERE { ?x ?p "open }', 'line 1, column 25'],
  ];
  for (const [text, place] of cases) {
    await write(page, text);
    await problem.getByText(place).or(page.locator('footer').getByText(place)).first().waitFor();
    await page.locator('.cm-lintRange-error').first().waitFor();
  }
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('F8');
  await page.locator('.cm-tooltip-lint').or(page.locator('footer').getByText('Col 25')).first().waitFor();
  // What SPARQL 1.2 allows is no error.
  await write(page, 'VERSION "1.2"\nSELECT ?s { << ?s ?p ?o >> ?q ?x . BIND(TRIPLE(?s, ?p, ?o) AS ?t) }');
  await until(async () => (await page.locator('.cm-lintRange-error').count()) === 0);
});

test('completion knows the names of the store with their counts, keywords and variables', async (t) => {
  await data();
  const { page } = await open(t);
  const asked = page.waitForResponse((response) => response.url().endsWith('/shapes?limit=20'));
  await page.locator('.cm-content').click();
  await asked;
  await page.waitForTimeout(200);
  await write(page, 'SELECT ?thing { ?thing ');
  await page.keyboard.type('am');
  const options = page.locator('.cm-tooltip-autocomplete [role=option]');
  await options.filter({ hasText: 'amount' }).filter({ hasText: '40' }).waitFor();
  await page.waitForTimeout(100);
  await page.keyboard.press('Enter');
  assert.match(await page.locator('.cm-content').innerText(), /\?thing <http:\/\/ex\.org\/amount>/);
  await page.keyboard.type(' ?n . ?th');
  await options.filter({ hasText: '?thing' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.type(' a Th');
  await options.filter({ hasText: 'Thing' }).waitFor();
});

test('tabs keep their texts and answers apart, come back with the page, and the address brings a text', async (t) => {
  await data();
  const { page, go } = await open(t);
  await run(page, `SELECT ?s { ?s a <${EX}Thing> }`);
  await page.getByText('40 rows').waitFor();
  await page.getByRole('button', { name: 'New tab' }).click();
  await page.getByText('No query was run yet.').waitFor();
  await run(page, '# second\nSELECT (1 AS ?one) {}');
  await page.getByText('1 rows').waitFor();
  await page.getByRole('button', { name: 'SELECT ?s', exact: false }).first().click();
  await page.getByText('40 rows').waitFor();
  await page.waitForURL(/#\/workbench\?q=SELECT/);
  await page.reload();
  const tabs = page.getByRole('group', { name: 'Open queries' });
  await tabs.getByRole('button', { name: 'second', exact: true }).waitFor();
  // Nothing is run by an address.
  await page.getByText('No query was run yet.').waitFor();
  await go(`#/workbench?${new URLSearchParams({ q: '# shared\nASK {}' })}`);
  await tabs.getByRole('button', { name: 'shared', exact: true }).waitFor();
  assert.match(await page.locator('.cm-content').innerText(), /ASK \{\}/);
  await tabs.getByRole('button', { name: 'Close shared' }).click();
  await tabs.getByRole('button', { name: 'shared', exact: true }).waitFor({ state: 'detached' });
  const history = page.locator('svc-query-list').getByRole('button', { name: 'second' });
  await history.waitFor();
});

test('a saved query is there for everybody, and opens with its text', async (t) => {
  const { page } = await open(t);
  await write(page, '# mine\nASK {}');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('my query');
  await assertAccessible(page, 'saving', { modal: true });
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.locator('svc-query-list').getByRole('button', { name: 'my query' }).click();
  assert.match(await page.locator('.cm-content').innerText(), /# mine/);
});

test('data can do nothing to the page: markup, scripts, directions, odd IRIs', async (t) => {
  await data();
  const { page } = await open(t);
  await run(page, `SELECT ?o { <${EX}odd> ?p ?o } ORDER BY STRLEN(STR(?o))`);
  await page.getByText('4 rows').waitFor();
  const all = [1, 2, 3, 4].map(async (row) => (await texts(page, row))[0] as string);
  const shown = await Promise.all(all);
  assert.ok(
    shown.some((text) => text.includes('a\\u202Eb\\u0001c')),
    JSON.stringify(shown),
  );
  assert.ok(shown.some((text) => text.startsWith('<img src=x')));
  assert.equal(await cells(page, 1).locator('bdi[dir=auto]').count(), 1);
  const link = page.getByRole('link', { name: 'javascript:window.broken=1' });
  assert.match((await link.getAttribute('href')) ?? '', /\/entity\/javascript%3A/);
  assert.equal(await page.evaluate('window.broken'), undefined);
  assert.equal(await page.locator('svc-result-table img').count(), 0);
});

test('thirty thousand rows: the last one is reached, a row opens in full, by keyboard', async (t) => {
  const { page } = await open(t);
  await run(
    page,
    `SELECT ?n { SELECT (?a * 200 + ?b AS ?n) { VALUES ?a { ${numbers(ROWS / 200)} } VALUES ?b { ${numbers(200)} } } ORDER BY ?n }`,
  );
  await page.getByText('30,000 rows').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  assert.deepEqual(await texts(page, ROWS), [String(ROWS - 1)]);
  assert.ok((await page.getByRole('row').count()) < 60);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Row 2' }).waitFor();
  await assertAccessible(page, 'a row', { modal: true });
});

test('what is huge is cut, and opens piece by piece', async (t) => {
  const { page } = await open(t);
  // 2 ** 20 characters, and a bit.
  const doubled = Array.from({ length: 16 }, (_, at) => `BIND(CONCAT(?v${at}, ?v${at}) AS ?v${at + 1})`).join(' ');
  await run(page, `SELECT ?v16 { BIND("0123456789abcdef" AS ?v0) ${doubled} }`);
  await page.getByText('1 rows').waitFor();
  assert.ok((await texts(page, 1))[0]!.length < 400);
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Row 1' });
  await dialog.getByText('the first 400,000 of 1,048,576 characters').waitFor();
  const length = () =>
    dialog
      .locator('bdi')
      .first()
      .innerText()
      .then((text) => text.length);
  const before = await length();
  await dialog.getByRole('button', { name: 'Show more' }).click();
  assert.ok(before < 1_000);
  await until(async () => (await length()) > 4_000);
});

test('cancel ends the query on the server, too; the page goes on', async (t) => {
  await data();
  const { page, server } = await open(t);
  const triples = '?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l';
  await run(page, `SELECT (COUNT(*) AS ?n) { ${triples} FILTER(CONCAT(STR(?a), STR(?d), STR(?g), STR(?j)) = "x") }`);
  const running = async () => ((await (await server.get('/queries/running')).json()) as { count: number }).count;
  await until(async () => (await running()) > 1);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('The query was cancelled.').waitFor();
  await until(async () => (await running()) === 1);
  await run(page, 'ASK {}');
  await page.getByText('Yes', { exact: true }).waitFor();
});

test('downloads: every format of rows, the whole answer', async (t) => {
  await data();
  const { page } = await open(t);
  await run(page, `SELECT ?s { ?s a <${EX}Thing> } ORDER BY ?s`);
  await page.getByText('40 rows').waitFor();
  for (const [name, ending] of [
    ['CSV', 'csv'],
    ['SPARQL JSON', 'srj'],
    ['Parquet', 'parquet'],
    ['Arrow', 'arrows'],
  ] as const) {
    await page.getByRole('button', { name: 'Download' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).click(),
    ]);
    assert.equal(file.suggestedFilename(), `answer.${ending}`);
    const bytes = readFileSync(await file.path());
    assert.ok(bytes.length > 40, name);
    if (name === 'CSV') assert.equal(bytes.toString().split('\r\n').length, 42);
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
  }
});

test('the past: the whole page looks at it, says so, and writes nothing there', async (t) => {
  const { page, server } = await open(t);
  const told = (await (await server.post('/knot', { turtle: '<urn:then> <urn:is> 1 .' })).json()) as { tx_id: number };
  await server.post('/retract', { entity: 'urn:then', predicate: 'urn:is' });
  await page.keyboard.press('t');
  await page.getByLabel('Known at transaction').fill('0');
  await page.getByRole('button', { name: 'Look at this time' }).click();
  await page.getByRole('alert').getByText('is no transaction').waitFor();
  await page.getByLabel('Known at transaction').fill(String(told.tx_id));
  await page.getByRole('button', { name: 'Look at this time' }).click();
  await page.getByText('Reading the past').waitFor();
  assert.match(page.url(), new RegExp(`tx=${told.tx_id}`));
  await assertAccessible(page, 'the past');
  await run(page, 'ASK { <urn:then> <urn:is> 1 }');
  await page.getByText('Yes', { exact: true }).waitFor();
  await run(page, 'INSERT DATA { <urn:x> <urn:y> 1 }');
  await page.getByRole('alert').getByText('the past is not written').waitFor();
  await page.getByRole('button', { name: 'Back to now' }).click();
  await run(page, 'ASK { <urn:then> <urn:is> 1 }');
  await page.getByText('No', { exact: true }).waitFor();
  await run(page, 'INSERT DATA { <urn:x> <urn:y> 1 }');
  await page.getByText(/Written in transaction \d/).waitFor();
});

test('on a telephone everything is there', async (t) => {
  await data();
  const { page } = await open(t, { viewport: { width: 390, height: 800 }, hasTouch: true });
  await run(page, `SELECT ?s { ?s a <${EX}Thing> }`);
  await page.getByText('40 rows').waitFor();
  await page.getByRole('button', { name: 'Queries' }).click();
  await page.getByRole('heading', { name: 'History' }).waitFor();
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  await assertAccessible(page, 'narrow');
});

function numbers(count: number): string {
  return Array.from({ length: count }, (_, at) => at).join(' ');
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 600; turn++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail('it did not come to that');
}
