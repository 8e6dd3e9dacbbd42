/** The explorer in a browser: what it shows, what its keys and buttons do, and what strange data does to it. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { assertAccessible, uiTests } from './browser.js';
import { until } from './until.js';

const { test, open, server } = uiTests();

const EX = 'http://example.org/';
const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const LONG = 'very long '.repeat(2000);

/** Two hubs with leaves of their own, joined by a chain; strange names; a graph of its own; and something that is taken back later. */
const FACTS = [
  ...Array.from({ length: 30 }, (_, at) => `<${EX}hub1> <${EX}has> <${EX}one${at}> .`),
  ...Array.from({ length: 20 }, (_, at) => `<${EX}hub2> <${EX}holds> <${EX}two${at}> .`),
  ...Array.from({ length: 30 }, (_, at) => `<${EX}one${at}> <${TYPE}> <${EX}One> .`),
  ...Array.from({ length: 20 }, (_, at) => `<${EX}two${at}> <${TYPE}> <${EX}Two> .`),
  `<${EX}hub1> <${EX}near> <${EX}middle> .`,
  `<${EX}hub2> <${EX}near> <${EX}middle> .`,
  `<${EX}hub1> <${LABEL}> "First hub", "Achse"@de .`,
  `<${EX}hub2> <${LABEL}> "مركز"@ar .`,
  `<${EX}middle> <${LABEL}> "<img src=x onerror=alert(1)>" .`,
  `<${EX}one0> <${LABEL}> "${LONG}" .`,
  `<${EX}one1> <${EX}has> <${EX}one1> .`,
  `<${EX}one1> <${EX}has> <${EX}one2> .`,
  `<${EX}one1> <${EX}holds> <${EX}one2> .`,
  `<${EX}one2> <${EX}has> <${EX}one1> .`,
  `<${EX}one3> <${EX}has> <javascript:alert(1)> .`,
  `<${EX}one4> <${EX}has> _:blank .`,
];

const written = async () => {
  const { post } = await server();
  const load = async (content: string, timestamp: string): Promise<void> => {
    const response = await post('/knot', { turtle: content, timestamp });
    assert.equal(response.status, 200, (await response.text()).slice(0, 500));
  };
  await load(FACTS.join('\n'), '2026-01-01T00:00:00Z');
  await load(`<${EX}middle> <${EX}has> <${EX}later> .`, '2026-02-01T00:00:00Z');
  const gone = await post('/retract', {
    entity: `${EX}hub1`,
    predicate: `${EX}has`,
    value: { iri: `${EX}one29` },
    timestamp: '2026-03-01T00:00:00Z',
  });
  assert.equal(gone.status, 200, await gone.text());
};
let once: Promise<void> | undefined;

async function explorer(t: Parameters<typeof open>[0], hash: string, options: Parameters<typeof open>[1] = {}) {
  once ??= written();
  await once;
  const opened = await open(t, { path: `/ui#/explore${hash}`, ...options });
  await opened.page.locator('svc-graph').waitFor();
  return opened;
}

const inGraph = <T>(page: Page, expression: string): Promise<T> =>
  page.evaluate(
    `(async () => { const graph = document.querySelector('svc-page').querySelector('svc-graph') ?? document.querySelector('svc-graph'); const canvas = graph.canvas; const model = graph.exploration.model; return (${expression}); })()`,
  ) as Promise<T>;

async function figures(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).first().waitFor();
}

test('it starts with the best connected, says how many there are, and can be read by everybody', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await explorer(t, '', { colorScheme });
    await figures(page, '53 of 53 nodes · 55 of 55 edges');
    await page.getByText('layout settled').waitFor();
    await assertAccessible(page, `${colorScheme}, graph`);
    await page.getByRole('button', { name: 'List' }).click();
    await page
      .getByRole('region', { name: 'Nodes of the graph' })
      .getByRole('button', { name: /First hub/ })
      .click();
    await page.getByRole('complementary', { name: 'Entity' }).getByText('32 out · 0 in').waitFor();
    await assertAccessible(page, `${colorScheme}, list and entity`);
  }
});

test('nodes are drawn in calls that do not grow with them, and names do not overlap', async (t) => {
  const { page } = await explorer(t, `?focus=${encodeURIComponent(`${EX}middle`)}`);
  await figures(page, '4 of 4 nodes · 3 of 3 edges');
  await page.getByText('layout settled').waitFor();
  await page.waitForTimeout(400);
  const few = await inGraph<number>(page, 'canvas.drawCalls');
  await page.getByRole('button', { name: 'Show more' }).click();
  await figures(page, /new edges/);
  await page.getByText('layout settled').waitFor();
  await page.waitForTimeout(400);
  assert.ok((await inGraph<number>(page, 'model.nodeCount')) > 50);
  assert.equal(await inGraph<number>(page, 'canvas.drawCalls'), few);
  const labels = await inGraph<{ left: number; top: number; right: number; bottom: number }[]>(
    page,
    'canvas.placedLabels',
  );
  assert.ok(labels.length > 5);
  for (const [turn, a] of labels.entries()) {
    for (const b of labels.slice(turn + 1)) {
      assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top);
    }
  }
});

test('what rests draws nothing and asks nothing; positions come at most once a frame', async (t) => {
  const { page } = await explorer(t, '');
  await page.getByText('layout settled').waitFor();
  const read = () => inGraph<number[]>(page, '[canvas.figures.frames, canvas.positionMessages]');
  let requests = 0;
  page.on('request', () => {
    requests++;
  });
  // Names, icons and sizes may still come after the layout: it rests when two looks with time between them are alike.
  let looked: number[] = [];
  for (let look = 1; !isDeepStrictEqual(await read(), looked) || requests > 0; look++) {
    assert.ok(look < 30, 'it never rests');
    looked = await read();
    requests = 0;
    await page.waitForTimeout(600);
  }
  const [frames, messages] = (await read()) as [number, number];
  assert.ok(messages <= frames + 1, `${messages} messages, ${frames} frames`);
});

test('a click picks, keys go to neighbours, expand, hide, and the address has it', async (t) => {
  const { page } = await explorer(t, `?focus=${encodeURIComponent(`${EX}middle`)}`);
  await figures(page, '4 of 4 nodes');
  await page.getByText('layout settled').waitFor();
  const at = await inGraph<{ x: number; y: number }>(page, `canvas.screenOf(model.placeOf('${EX}hub1'))`);
  const graph = page.getByRole('application');
  await graph.click({ position: at });
  const panel = page.getByRole('complementary', { name: 'Entity' });
  await panel.getByRole('heading', { name: 'First hub' }).waitFor();
  assert.match(page.url(), /pick=http%3A%2F%2Fexample.org%2Fhub1/);
  await page.keyboard.press('e');
  await figures(page, '30 of 30 are here');
  await page.keyboard.press('h');
  await page.getByRole('button', { name: 'Show 1 hidden' }).click();
  await graph.focus();
  await page.keyboard.press('ArrowRight');
  await panel.waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
});

test('it begins with an IRI, with what a text finds, and anew with the best connected', async (t) => {
  const { page } = await explorer(t, '');
  await figures(page, /53 of/);
  const begin = page.getByRole('searchbox', { name: 'Begin with an IRI or a text' });
  await begin.fill(`${EX}hub2`);
  await begin.press('Enter');
  await figures(page, '22 of 22 nodes · 21 of 21 edges');
  await begin.fill('First hub');
  await begin.press('Enter');
  await page.waitForURL(/focus=[^&]*hub1/);
  await figures(page, /of 3[1-9] nodes/);
  await page.goBack();
  await figures(page, '22 of 22 nodes');
  await begin.fill('');
  await begin.press('Enter');
  await figures(page, /53 of/);
});

test('filters take types and predicates off, and a path is found where edges are not shown', async (t) => {
  const { page } = await explorer(t, '');
  await figures(page, /53 of/);
  await page.getByRole('complementary', { name: 'Filters' }).getByLabel('Two').uncheck();
  await figures(page, /33 of/);
  await page.getByLabel('near').uncheck();
  await page.waitForURL(/poff=/);
  const picked = [`${EX}hub1`, `${EX}middle`].join(' ');
  await page.evaluate(`location.hash = '#/explore?path=${encodeURIComponent(picked)}'`);
  await figures(page, 'A path of 1 edges, whichever way they go, among what is shown');
});

test('comparing marks what came and what went, by signs too', async (t) => {
  const { page } = await explorer(t, `?focus=${encodeURIComponent(`${EX}hub1 ${EX}middle ${EX}one29`)}&since=1`);
  await figures(page, 'Compared: 1 edges added, 1 removed');
  const changes = await inGraph<number[]>(
    page,
    `[model.change[model.placeOf('${EX}later')], model.edgeChange.filter((one) => one === 1).length, model.edgeChange.filter((one) => one === 2).length]`,
  );
  assert.deepEqual(changes, [1, 1, 1]);
});

/** Changes that are marked: nodes added, nodes removed, edges added, edges removed. */
const MARKS = `[model.change.filter((one) => one === 1).length, model.change.filter((one) => one === 2).length, ...[1, 2].map((kind) => model.edgeChange.filter((one) => one === kind).length)]`;

test('a moment to compare with is chosen by the keyboard; what was brought stays, and nothing is marked afterwards', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await explorer(t, `?focus=${encodeURIComponent(`${EX}hub1 ${EX}middle ${EX}one29`)}`, {
      colorScheme,
    });
    await figures(page, /of 34 nodes/);
    await page.getByRole('button', { name: 'Show more' }).click();
    await figures(page, /nodes have edges that are not here/);
    const nodes = await inGraph<number>(page, 'model.nodeCount');
    await page.keyboard.press('d');
    const since = page.getByRole('textbox', { name: 'Since a transaction, or a date' });
    await page.getByRole('form', { name: 'Compare' }).waitFor();
    await assertAccessible(page, `${colorScheme}, compare`);
    await since.fill('yesterday');
    await since.press('Enter');
    await page.getByRole('alert').getByText('“yesterday” is neither a transaction nor a time').waitFor();
    await since.fill('1');
    await since.press('Enter');
    await figures(page, 'Compared: 1 edges added, 1 removed');
    await figures(page, '+ added − removed');
    assert.match(page.url(), /since=1/);
    assert.deepEqual(await inGraph<number[]>(page, MARKS), [1, 0, 1, 1]);
    assert.equal(await inGraph<number>(page, 'model.nodeCount'), nodes);
    await assertAccessible(page, `${colorScheme}, compared`);
    await page.keyboard.press('d');
    await page.getByRole('button', { name: 'Stop comparing' }).click();
    await until(page, `!location.hash.includes('since')`);
    assert.deepEqual(await inGraph<number[]>(page, MARKS), [0, 0, 0, 0]);
  }
});

test('the graph begins with what has changed since a transaction; of a date it says what to do', async (t) => {
  const { page, go } = await explorer(t, '');
  await figures(page, /53 of/);
  await page.getByRole('button', { name: /^Compare/ }).click();
  const since = page.getByRole('textbox', { name: 'Since a transaction, or a date' });
  await since.fill('2026-01-15');
  await page.getByRole('button', { name: 'Begin with what changed' }).click();
  await page.getByRole('alert').getByText('What changed is known between transactions').waitFor();
  await since.fill('1');
  await page.getByRole('button', { name: 'Begin with what changed' }).click();
  await figures(page, 'Compared: 1 edges added, 1 removed');
  await figures(page, '4 of 4 nodes');
  await go('/explore?since=2&tx=2&changed=1');
  await figures(page, 'Nothing has changed');
  await go('/explore?since=2026-01-15&changed=1');
  await page.getByRole('alert').getByText('What changed is known between transactions').waitFor();
});

test('the past is asked by queries', async (t) => {
  const { page } = await explorer(t, '?tx=1');
  await figures(page, /54 of 54 nodes/);
  assert.equal(await inGraph<number>(page, `model.placeOf('${EX}later')`), -1);
  assert.ok((await inGraph<number>(page, `model.placeOf('${EX}one29')`)) >= 0);
});

test('strange names harm nothing', async (t) => {
  const { page } = await explorer(
    t,
    `?focus=${encodeURIComponent(`${EX}one3 ${EX}one4 ${EX}one0 ${EX}one1`)}&list=1&pick=${encodeURIComponent(`${EX}one3`)}`,
  );
  const panel = page.getByRole('complementary', { name: 'Entity' });
  const link = panel.getByRole('link', { name: /javascript:alert/ });
  await link.waitFor();
  assert.match((await link.getAttribute('href'))!, /^http:.*\/entity\/javascript%3Aalert\(1\)$/);
  await link.click();
  await panel.getByRole('heading', { name: 'alert(1)' }).waitFor();
  const list = page.getByRole('region', { name: 'Nodes of the graph' });
  await list.getByRole('button', { name: /_:/ }).first().click();
  await panel.getByText("it can't be expanded").waitFor();
  const names = await list.getByRole('button').allTextContents();
  assert.ok(
    names.every((name) => name.length < 400),
    'long names are cut',
  );
});

test('an empty graph, a wrong focus and a query that is no graph say what to do', async (t) => {
  const { page, go } = await explorer(t, `?g=${encodeURIComponent('urn:none')}`);
  await page.getByText('There is nothing here').waitFor();
  await go('/explore?focus=nothing');
  await page.getByRole('alert').filter({ hasText: "'nothing' is no absolute IRI" }).waitFor();
  await go(`/explore?query=${encodeURIComponent('SELECT ?x { ?x ?p ?o }')}`);
  await page.getByRole('alert').filter({ hasText: 'SELECT with the variables ?s ?p ?o' }).waitFor();
  await go(`/explore?query=${encodeURIComponent(`CONSTRUCT { ?s <${EX}near> ?o } WHERE { ?s <${EX}near> ?o }`)}`);
  await figures(page, '3 of 3 nodes · 2 of 2 edges');
  await go(`/explore?query=${encodeURIComponent(`SELECT * { ?s ?p ?o FILTER(?s = <${EX}hub1>) }`)}`);
  await figures(page, '2 facts with literals are no edges');
  await go(`/explore?focus=${encodeURIComponent(`${EX}nowhere`)}`);
  await figures(page, '1 of 1 nodes');
});

test('where nothing can be drawn there is the list, and a lost context comes back', async (t) => {
  const { page } = await explorer(t, '');
  await page.getByText('layout settled').waitFor();
  await page.evaluate(`(() => {
    const graph = document.querySelector('svc-page').querySelector('svc-graph');
    const plane = graph.renderRoot.querySelector('canvas');
    window.lost = plane.getContext('webgl2').getExtension('WEBGL_lose_context');
    window.lost.loseContext();
  })()`);
  await page.getByText('The graphics driver was reset').first().waitFor();
  await page.getByRole('region', { name: 'Nodes of the graph' }).waitFor();
  await page.evaluate('window.lost.restoreContext()');
  await page.getByRole('region', { name: 'Nodes of the graph' }).waitFor({ state: 'detached' });
  // The policy of the page forbids to wait by a text that is evaluated in it.
  while ((await inGraph<number>(page, 'canvas.drawCalls')) === 0) await page.waitForTimeout(50);
});

test('a server that goes away is told, and asked again', async (t) => {
  const { page } = await explorer(t, '', { expected: /ERR_FAILED|Failed to fetch/ });
  await figures(page, /53 of/);
  await page.route('**/query', (route) => route.abort());
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor();
  await page.unroute('**/query');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Show more' }).click();
  await figures(page, /new edges/);
});

test('a phone has the filters on demand', async (t) => {
  const { page } = await explorer(t, '', { viewport: { width: 390, height: 780 } });
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('complementary', { name: 'Filters' }).getByLabel('One').waitFor();
  await assertAccessible(page, 'phone');
  assert.ok((await page.evaluate('document.documentElement.scrollWidth <= innerWidth')) as boolean);
});
