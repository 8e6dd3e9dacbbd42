/** The page itself: its bars, its address, its time, its token, its keys; and that it bothers nobody. */
import assert from 'node:assert/strict';
import { uiManifest } from '../../interfaces/http/pages/ui-files.js';
import { assertAccessible, uiTests } from './browser.js';
import { run } from './editor.js';

/** Each is a turn of the server before the first view is there. */
const FIRST_VIEW_ASSETS_MAX = 8;
/** Of the first view, compressed. */
const FIRST_VIEW_BYTES_MAX = 300_000;

const { test, open, server: theServer } = uiTests();

test('the page opens its first view, and its parts can be read by everybody, by day and by night', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await open(t, { colorScheme, path: '/' });
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Workbench' }).waitFor();
    await page.getByText('connected').waitFor();
    assert.equal(await page.title(), 'svc · Workbench');
    await assertAccessible(page, colorScheme);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await assertAccessible(page, `${colorScheme}, keys`, { modal: true });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'detached' });
    await page.keyboard.press('t');
    await page.getByLabel('Valid at').waitFor();
    await assertAccessible(page, `${colorScheme}, time`);
  }
});

test('an idle page asks the server nothing', async (t) => {
  const { page } = await open(t);
  await page.getByText('connected').waitFor();
  await page.locator('.cm-content').waitFor();
  let asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  // A slow machine may still load what is wanted first; whoever asks again and again is never idle.
  for (let look = 1; look === 1 || (asked.length > 0 && look <= 4); look++) {
    asked = [];
    await page.waitForTimeout(3_000);
  }
  assert.deepEqual(asked, []);
});

test('everything of the page comes from its server, most of it once for ever', async (t) => {
  const { page, server } = await open(t, { path: '/health' });
  const answers: { url: string; policy: string; bytes: number }[] = [];
  page.on('response', async (response) => {
    const { 'cache-control': policy = '', 'content-length': length = '0' } = response.headers();
    answers.push({ url: response.url(), policy, bytes: Number(length) });
  });
  await page.goto(`${server.base}/`);
  await page.locator('.cm-content').waitFor();
  await page.waitForLoadState('networkidle');
  assert.ok(
    answers.every(({ url }) => url.startsWith(server.base)),
    JSON.stringify(answers),
  );
  const assets = answers.filter(({ url }) => url.includes('/assets/'));
  assert.ok(assets.length >= 4 && assets.every(({ policy }) => /immutable/.test(policy)), JSON.stringify(assets));
  assert.ok(assets.length <= FIRST_VIEW_ASSETS_MAX, JSON.stringify(assets));
  const figures = answers.filter(({ url }) => url.endsWith('/stats'));
  assert.equal(figures.length, 1, 'the figures at the bottom are asked for once');
  const bytes = answers.reduce((sum, one) => sum + one.bytes, 0);
  assert.ok(bytes > 50_000 && bytes < FIRST_VIEW_BYTES_MAX, `${bytes} bytes`);
});

test('files: compressed as the client takes them, asked for again without being sent again', async () => {
  const server = await theServer();
  const { page, assets } = uiManifest();
  const path = `/assets/${page}`;
  const sizes = await Promise.all(
    ['identity', 'gzip', 'br'].map(async (coding) => {
      const response = await server.get(path, { 'Accept-Encoding': coding });
      assert.equal(response.headers.get('content-encoding'), coding === 'identity' ? null : coding);
      assert.match(response.headers.get('vary') ?? '', /Accept-Encoding/);
      const length = Number(response.headers.get('content-length'));
      assert.ok((await response.text()).startsWith('import'));
      return length;
    }),
  );
  assert.ok((sizes[0] as number) > (sizes[1] as number) && (sizes[1] as number) > (sizes[2] as number), String(sizes));
  for (const one of [path, '/svc-components.js']) {
    const etag = (await server.get(one)).headers.get('etag') as string;
    const again = await server.get(one, { 'If-None-Match': `"other", ${etag}` });
    assert.deepEqual([again.status, await again.text()], [304, '']);
  }
  for (const wrong of ['/assets/none.js', '/assets/..%2Fmanifest.json', `/assets/${assets[0]}.br`, '/assets/']) {
    assert.equal((await server.get(wrong)).status, 404, wrong);
  }
});

test('a server that goes away and comes back: the page says so, and goes on by itself', async (t) => {
  const { page } = await open(t);
  await page.getByText('connected').waitFor();
  await page.route('**/*', (route) => route.abort());
  await run(page, 'ASK {}');
  await page.getByRole('alert').getByText('The server does not answer').waitFor();
  await page.getByText('no answer from the server; trying again').waitFor();
  await page.unroute('**/*');
  await page.getByText('connected').waitFor();
  await run(page, 'ASK {}');
  await page.getByText('Yes', { exact: true }).waitFor();
});

test('a view that does not exist is named, and the others can be reached', async (t) => {
  const { page, go } = await open(t);
  await go('#/nowhere');
  await page.getByRole('alert').getByText('There is no view “nowhere”').waitFor();
  await page.getByRole('link', { name: 'Workbench' }).click();
  await page.locator('.cm-content').waitFor();
  await page.goBack();
  await page.getByRole('alert').waitFor();
});
