/**
 * Pictures of every view of the web UI over three stores, light and dark, for those who change it to look at.
 *   npm run --silent build && node tools/ui-pictures.mjs FOLDER [--only sky/workbench] [--docs]
 * schema.org and FIBO are there where the folder of shared data is (SVC_SHARED names another than the one beside the checkout).
 * `--docs` writes the pictures of docs/ui.md anew too, as WebP. Chromium is that of the system, or SVC_BROWSER.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { storesOf } from './ui-pictures/stores.mjs';

const BUILT = new URL('../dist/', import.meta.url);
const { withDefaults } = await import(new URL('engine/service/configuration/keys.js', BUILT).href);
const { startServer } = await import(new URL('interfaces/http/serve.js', BUILT).href);

const CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
const IMAGES = join(CHECKOUT, 'docs/images/ui');
/** Those that docs/ui.md shows. */
const SHOWN = new Set([
  'sky/explorer-start/dark',
  'sky/workbench/light',
  'schemaorg/timeline/light',
  'sky/shape/dark',
  'sky/proposal/light',
  'sky/entity/light',
  'sky/write/dark',
]);
/** The first that makes a picture small enough is taken. */
const WEBP_QUALITIES = [0.8, 0.65, 0.5, 0.35];
const SHOWN_BYTES_MAX = 45_000;
/** Of the page, in pixels. */
const SHOWN_WIDTH = 1024;
const WAIT_MS = 60_000;
const SIZE = { width: 1280, height: 800 };

/** Waits until an expression is true. The policy of the page forbids Playwright's own way, which evaluates a text in it. */
async function until(page, expression) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; ) {
    if ((await page.evaluate(expression)) === true) return;
    await page.waitForTimeout(100);
  }
  throw new Error(`still false after ${WAIT_MS} ms: ${expression}`);
}

const EXPLORER = `document.querySelector('svc-page').querySelector('svc-graph')`;

/** Each view: the address, and what is done there before the picture. */
const views = (store) => [
  {
    name: 'explorer',
    path: `/ui#/explore?${new URLSearchParams({ focus: store.focus, depth: '2', pick: store.focus })}`,
    act: async (page) => {
      await until(page, `${EXPLORER}?.exploration?.model.nodeCount > 1 && ${EXPLORER}.busy === ''`);
      await until(page, `${EXPLORER}.layout === 'settled'`);
    },
  },
  {
    name: 'explorer-start',
    path: '/ui#/explore',
    act: async (page) => until(page, `${EXPLORER}?.layout === 'settled' && ${EXPLORER}.busy === ''`),
  },
  {
    name: 'workbench',
    path: `/ui#/workbench?${new URLSearchParams({ q: store.query })}`,
    act: async (page) => {
      await page.locator('.cm-content').click();
      await page.keyboard.press('Control+Enter');
      await page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').first().waitFor();
      await page.getByRole('button', { name: 'Profile' }).click();
      await page.locator('svc-plan').getByRole('cell').first().waitFor();
    },
  },
  {
    name: 'timeline',
    path: `/ui#/timeline?${new URLSearchParams({ from: store.from })}`,
    act: async (page) => {
      await page.getByRole('button', { name: `Changes in transaction ${store.changed}`, exact: true }).click();
      await page
        .locator('svc-timeline-changes')
        .getByText(/added|statements/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'schema',
    path: `/ui#/schema?${new URLSearchParams({ class: store.class })}`,
    act: (page) => page.locator('svc-predicate-list tr').nth(1).waitFor(),
  },
  {
    name: 'shape',
    path: `/ui#/schema?${new URLSearchParams({ shape: store.shape })}`,
    act: (page) => page.getByRole('button', { name: 'Check instances' }).click(),
  },
  ...(store.proposal === undefined
    ? []
    : [
        {
          name: 'proposal',
          path: `/ui#/schema?${new URLSearchParams({ side: 'proposals', proposal: store.proposal })}`,
          act: (page) => page.getByRole('form', { name: 'Decision' }).waitFor(),
        },
      ]),
  {
    name: 'entity',
    path: `/entity/${encodeURIComponent(store.entity)}#/?history=true`,
    act: (page) => page.locator('svc-fact').first().waitFor(),
  },
  { name: 'entity-start', path: '/ui#/entity', act: (page) => page.getByRole('heading', { name: 'Entity' }).waitFor() },
  {
    name: 'write',
    path: '/ui#/writes',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Document' }).fill(store.refused);
      await page.getByRole('button', { name: 'Load' }).click();
      await page.getByRole('alert').getByText('Nothing was written.').waitFor();
    },
  },
  {
    name: 'shares',
    path: '/ui#/writes?part=shares',
    act: async (page) => {
      await page.getByRole('button', { name: 'Make a share' }).click();
      await page.getByRole('button', { name: 'Download it' }).waitFor();
    },
  },
  { name: 'graphs', path: '/ui#/writes?part=graphs', act: (page) => page.getByRole('listitem').first().waitFor() },
  {
    name: 'phone',
    path: `/entity/${encodeURIComponent(store.entity)}`,
    size: { width: 390, height: 800 },
    act: (page) => page.locator('svc-fact').first().waitFor(),
  },
];

/** A PNG as WebP, written by the browser. */
async function toWebp(browser, png, name) {
  const page = await browser.newPage();
  try {
    for (const quality of WEBP_QUALITIES) {
      const url = await page.evaluate(WRITE_WEBP, [
        `data:image/png;base64,${png.toString('base64')}`,
        quality,
        SHOWN_WIDTH,
      ]);
      const webp = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
      if (webp.length <= SHOWN_BYTES_MAX) return webp;
    }
  } finally {
    await page.close();
  }
  throw new Error(`${name} has more than ${SHOWN_BYTES_MAX} bytes as WebP, whatever its quality`);
}

/** Runs in the browser. */
const WRITE_WEBP = async ([source, quality, width]) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, Math.round((image.height * width) / image.width)];
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/webp', quality);
};

async function picture(browser, base, view, colorScheme) {
  const context = await browser.newContext({ viewport: view.size ?? SIZE, colorScheme, reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    await page.goto(base + view.path);
    await view.act(page);
    await page.waitForTimeout(400);
    return await page.screenshot();
  } finally {
    await context.close();
  }
}

async function pictures(browser, store, { folder, only, isDocs }) {
  const place = mkdtempSync(join(tmpdir(), 'svc-ui-pictures-'));
  const running = await startServer({
    path: join(place, 'store.svc'),
    configuration: withDefaults({ server: { bind: '127.0.0.1:0', read_pool_size: 1 } }),
    insecure: false,
    write: () => undefined,
  });
  try {
    await running.ready;
    await store.fill(running.store);
    for (const view of views(store)) {
      for (const scheme of ['light', 'dark']) {
        const name = `${store.name}/${view.name}/${scheme}`;
        if (!name.startsWith(only)) continue;
        const png = await picture(browser, `http://127.0.0.1:${running.address.port}`, view, scheme);
        writeFileSync(join(folder, `${name.replaceAll('/', '-')}.png`), png);
        console.log(name);
        if (isDocs && SHOWN.has(name)) {
          const webp = await toWebp(browser, png, name);
          writeFileSync(join(IMAGES, `${store.name}-${view.name}.webp`), webp);
        }
      }
    }
  } finally {
    await running.close();
    rmSync(place, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, docs: { type: 'boolean', default: false } },
});
if (positionals.length !== 1)
  throw new Error('name the folder that the pictures go to: node tools/ui-pictures.mjs FOLDER');
const shared = process.env.SVC_SHARED ?? join(CHECKOUT, '../shared');
const options = { folder: positionals[0], only: values.only, isDocs: values.docs };
mkdirSync(options.folder, { recursive: true });
if (options.isDocs) mkdirSync(IMAGES, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.SVC_BROWSER ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
});
try {
  for (const store of storesOf(existsSync(shared) ? shared : null)) {
    if (options.only.startsWith(store.name) || store.name.startsWith(options.only))
      await pictures(browser, store, options);
  }
} finally {
  await browser.close();
}
