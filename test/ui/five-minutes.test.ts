/** A new user's five minutes, as docs/ui.md tells them: each step, with the buttons by the names that the page gives them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { LoadInput } from '../../interfaces/library/index.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { blocks } from '../pages.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { uiTests } from './browser.js';
import { cells, run } from './editor.js';

const { test, open, server: theServer } = uiTests();

const PAGE = readFileSync(join(CHECKOUT, 'docs/ui.md'), 'utf8');
const FIBO = 'https://spec.edmcouncil.org/fibo/ontology/FBC/FunctionalEntities/FinancialServicesEntities/';
const SKY = 'http://example.org/sky/';

interface Story {
  readonly load: LoadInput;
  readonly shapes: string;
  /** What is looked for, the IRI that is found, and what it says of itself. */
  readonly search: string;
  readonly found: string;
  readonly about: RegExp;
  /** What is asked, and the first row of the answer. */
  readonly query: string;
  readonly answer: readonly RegExp[];
  /** A document with `status "opne"`, and the entity in it. */
  readonly document: string;
  readonly entity: string;
}

/** The steps of the page. */
async function fiveMinutes(t: TestContext, story: Story): Promise<void> {
  const { store } = (await theServer()).running;
  await store.load(story.load, { timestamp: '2026-01-05' });
  await store.loadShapes('status', story.shapes);
  const { page } = await open(t, { path: '/' });
  page.setDefaultTimeout(12_000);

  // 2. What is it about?
  await page.getByRole('combobox', { name: 'Find an entity' }).fill(story.search);
  await page.getByRole('listbox', { name: 'Found' }).getByText(story.found, { exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText(story.about).first().waitFor();
  assert.match(decodeURIComponent(page.url()), new RegExp(`/entity/${story.found}$`));
  await page.getByRole('button', { name: 'Explore' }).click();
  await page.getByText(/\d+ of \d+ nodes/).waitFor();
  await page.getByRole('complementary', { name: 'Entity' }).getByText(story.about).first().waitFor();

  // 3. Ask.
  await page.getByRole('link', { name: 'Workbench' }).click();
  await run(page, story.query);
  for (const [column, expected] of story.answer.entries()) {
    await cells(page, 1).nth(column).getByText(expected).waitFor();
  }
  await page.getByRole('button', { name: 'Profile' }).click();
  await page.locator('svc-plan').getByRole('cell').first().waitFor();

  // 4. A refused write.
  await page.getByRole('link', { name: 'Write', exact: true }).click();
  await page.getByRole('textbox', { name: 'Document' }).fill(story.document);
  await page.getByRole('button', { name: 'Load' }).click();
  await page.getByRole('alert').getByText('Nothing was written.').waitFor();
  await page.getByRole('group', { name: 'Write instead' }).getByRole('button', { name: 'open' }).click();
  const written = await page.getByText(/Written in transaction \d+/).innerText();
  const tx = Number(/transaction (\d+)/.exec(written)?.[1]);

  // 5. The past.
  await page.goto(`${new URL(page.url()).origin}/entity/${encodeURIComponent(story.entity)}`);
  await page.getByRole('button', { name: 'Set open' }).click();
  const form = page.getByRole('form', { name: 'Set a fact' });
  await form.getByRole('textbox', { name: 'Value' }).fill('closed');
  await form.getByRole('button', { name: 'Set', exact: true }).click();
  const value = (text: string) => page.locator('svc-fact bdi').getByText(text, { exact: true });
  await value('closed').waitFor();
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByText(/^held from .* ended in \d+/).waitFor();
  await page.getByRole('button', { name: /^Time/ }).click();
  await page.getByLabel('Known at transaction').fill(String(tx));
  await page.getByRole('button', { name: 'Look at this time' }).click();
  await page.getByText('Reading the past').waitFor();
  await value('open').waitFor();
  await page.getByRole('button', { name: 'Back to now' }).click();
  await value('closed').waitFor();
}

/** A block of the page. */
function told(language: string, part: string): string {
  const found = blocks(PAGE, language).find((text) => text.includes(part));
  assert.ok(found !== undefined, `docs/ui.md has a ${language} block with ${part}`);
  return found;
}

test('five minutes over FIBO', async (t) => {
  const shared = sharedFolder();
  if (shared === null) return t.skip(SHARED_ABSENT);
  await fiveMinutes(t, {
    load: { path: join(shared, 'data/fibo') },
    shapes: told('turtle', 'fibo:CommercialBank ;'),
    search: 'commercial bank',
    found: `${FIBO}CommercialBank`,
    about: /depository institution that engages in various financial services/,
    query: told('sparql', 'fibo:Bank'),
    answer: [/FederalReserveDistrictBank/, /Federal Reserve district bank/],
    document: told('turtle', '"opne"'),
    entity: 'http://example.org/banks/first',
  });
});

test('five minutes over the solar system', async (t) => {
  await fiveMinutes(t, {
    load: { path: join(CHECKOUT, 'tools/demo/sky.ttl') },
    shapes: `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix sky: <${SKY}> .
sky:MissionShape a sh:NodeShape ; sh:targetClass sky:Mission ; sh:property [ sh:path sky:status ; sh:in ("open" "closed") ] .`,
    search: 'Voyager 2',
    found: `${SKY}voyager-2`,
    about: /^Voyager 2$/,
    query: `PREFIX sky: <${SKY}> SELECT ?moon ?km { ?moon sky:orbits sky:saturn ; sky:radiusKm ?km } ORDER BY DESC(?km)`,
    answer: [/titan$/, /2574\.7/],
    document: `@prefix sky: <${SKY}> . sky:juice a sky:Mission ; sky:status "opne" .`,
    entity: `${SKY}juice`,
  });
});
