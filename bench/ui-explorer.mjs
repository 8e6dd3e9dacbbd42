/**
 * What the explorer of the web UI costs in Chromium: 10,000 nodes and 40,000 edges, reached by expansion from the best connected.
 *   npm run --silent build && node bench/ui-explorer.mjs
 * Milliseconds of JavaScript a frame on the main thread (by the clock, so a machine that is busy with other work gives more; and the mean
 * by the time of the processor, which such work does not lengthen), frames a second and draw calls: while the camera pans, and while
 * the layout runs; 300 frames each, or what comes in `LONGEST_MS`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const BUILT = new URL('../dist/', import.meta.url);
const { withDefaults } = await import(new URL('engine/service/configuration/keys.js', BUILT).href);
const { startServer } = await import(new URL('interfaces/http/serve.js', BUILT).href);

const NODES = 10_000;
const EDGES = 40_000;
const GROUPS = 24;
const LONGEST_MS = 60_000;
const EX = 'http://example.org/';

/** Groups of very different sizes; nine edges of ten stay in their group and go to its hubs more often than to others. */
function graph() {
  let state = 1;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
  const members = Array.from({ length: GROUPS }, () => []);
  const groupOf = Array.from({ length: NODES }, (_, node) => {
    const group = Math.floor(random() ** 2 * GROUPS);
    members[group].push(node);
    return group;
  });
  const seen = new Set();
  const put = (from, to) => seen.add(`<${EX}n${from}> <${EX}p${Math.floor(random() * 4)}> <${EX}n${to}> .`);
  const near = (node) => {
    const group = members[groupOf[node]];
    return group[Math.floor(random() ** 2 * group.length)];
  };
  for (let node = 1; node < NODES; node++) put(node, random() < 0.95 ? near(node) : 0);
  // A pair may come twice; there are 400 million pairs, so this ends.
  while (seen.size < EDGES) {
    const node = Math.floor(random() * NODES);
    put(node, random() < 0.9 ? near(node) : Math.floor(random() * NODES));
  }
  const types = groupOf.map((group, node) => `<${EX}n${node}> a <${EX}Group${group}> .`);
  return [...seen, ...types].join('\n');
}

const EXPLORER = `document.querySelector('svc-page').querySelector('svc-graph')`;
const EXPAND = `(async () => {
  const explorer = ${EXPLORER};
  const began = performance.now();
  const { exploration } = explorer;
  let requests = 0;
  while (exploration.model.edgeCount < ${EDGES} && exploration.open > 0) {
    await exploration.expandTogether();
    requests++;
  }
  explorer.version++;
  return { nodes: exploration.model.nodeCount, edges: exploration.model.edgeCount, expansions: requests, ms: Math.round(performance.now() - began) };
})()`;
const measure = (step) => `(async () => {
  const explorer = ${EXPLORER};
  const { canvas } = explorer;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  canvas.figures.reset();
  const began = performance.now();
  let drawCalls = 0;
  for (let frame = 0; canvas.figures.frames < 300 && performance.now() - began < ${LONGEST_MS}; frame++) {
    ${step};
    await new Promise((resolve) => requestAnimationFrame(resolve));
    drawCalls = Math.max(drawCalls, canvas.drawCalls);
  }
  const { figures } = canvas;
  const within = (share) => figures.scriptWithin(share).toFixed(1);
  return 'JavaScript a frame, ms: median ' + within(0.5) + ', 95 % ' + within(0.95) + ', most ' + within(1) + '; ' + figures.framesPerSecond.toFixed(1) + ' frames a second; at most ' + drawCalls + ' draw calls; ' + figures.frames + ' frames';
})()`;

const folder = mkdtempSync(join(tmpdir(), 'svc-ui-bench-'));
const running = await startServer({
  path: join(folder, 'store.svc'),
  configuration: withDefaults({ server: { bind: '127.0.0.1:0', read_pool_size: 1 } }),
  insecure: false,
  write: () => undefined,
});
await running.ready;
const base = `http://127.0.0.1:${running.address.port}`;
const answer = await fetch(`${base}/knot`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ turtle: graph() }),
});
if (!answer.ok) throw new Error(await answer.text());
const browser = await chromium.launch({
  executablePath: process.env.SVC_BROWSER ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${base}/ui#/explore?limit=2000`);
  // The policy of the page forbids to wait by a text that is evaluated in it.
  const isThere = `${EXPLORER}?.exploration?.model.nodeCount === 2000 && ${EXPLORER}.busy === ''`;
  while (!(await page.evaluate(isThere))) await page.waitForTimeout(200);
  console.log('reached by expansion:', JSON.stringify(await page.evaluate(EXPAND)));
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const scriptMs = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'ScriptDuration').value * 1_000;
  const told = async (step) => {
    const before = await scriptMs();
    const figures = await page.evaluate(measure(step));
    const frames = await page.evaluate(`${EXPLORER}.canvas.figures.frames`);
    return `${figures}; processor ${(((await scriptMs()) - before) / frames).toFixed(2)} ms a frame, the bench's own script in it`;
  };
  const pan = 'canvas.pan(6 * Math.sin(frame / 10), 6 * Math.cos(frame / 10))';
  console.log('layout runs:', await told(`if (explorer.layout !== 'running') canvas.resume()`));
  await page.evaluate(`${EXPLORER}.canvas.pause()`);
  console.log('camera pans:', await told(pan));
} finally {
  await browser.close();
  await running.close();
  rmSync(folder, { recursive: true, force: true });
}
