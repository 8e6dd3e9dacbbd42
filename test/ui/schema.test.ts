/** The schema: the class tree, predicates, shapes of every kind as forms, and the instances that break them; by keyboard, by day and night. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { TestServer } from '../http/support.js';
import { assertAccessible, uiTests } from './browser.js';
import { addressHas } from './until.js';

const { test, open, server: theServer } = uiTests();

const EX = 'http://example.org/';
const PREFIXES = `@prefix : <${EX}> . @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .`;
const LONG = 'name '.repeat(100);
const SHAPES = `${PREFIXES}
:PersonShape a sh:NodeShape ; sh:name "Person" ; sh:description "Somebody \\u202Ewho lives" ; sh:targetClass :Person ; sh:closed false ;
  sh:property [ sh:path :name ; sh:name "اسم طويل" ; sh:datatype xsd:string ; sh:minCount 1 ; sh:maxCount 1 ; sh:order 1 ] ,
    [ sh:path :status ; sh:in ( "active" "retired" <javascript:alert(1)> ) ; sh:order 2 ] ,
    [ sh:path :born ; sh:datatype xsd:date ; sh:lessThan :died ; sh:order 3 ] ,
    [ sh:path [ sh:inversePath :knows ] ; sh:maxCount 2 ; sh:order 4 ] ,
    [ sh:path ( :knows [ sh:oneOrMorePath [ sh:alternativePath ( :knows :likes ) ] ] ) ; sh:order 5 ] ,
    [ sh:path :address ; sh:node :AddressShape ; sh:order 6 ] ,
    [ sh:path :child ; sh:qualifiedValueShape [ sh:class :Person ; sh:property [ sh:path :name ; sh:minCount 1 ] ] ; sh:qualifiedMinCount 1 ; sh:order 7 ] ,
    [ sh:path :member ; sh:name "${LONG}" ; sh:nodeKind sh:IRI ; sh:order 8 ] ;
  sh:or ( [ sh:property [ sh:path :email ; sh:pattern "@" ] ] [ sh:property [ sh:path :phone ; sh:minLength 3 ] ] ) ;
  sh:not [ sh:class :Robot ] ; sh:xone ( :AddressShape [ sh:nodeKind sh:BlankNodeOrIRI ] ) .
:AddressShape a sh:NodeShape ; sh:property [ sh:path :street ; sh:minCount 1 ; sh:node :AddressShape ] .
:Tagged a sh:PropertyShape ; sh:path :tag ; sh:targetSubjectsOf :tag ; sh:uniqueLang true ; sh:languageIn ( "en" "ar" ) ; sh:severity sh:Warning .
:Queried a sh:NodeShape ; sh:targetNode :p1 ; sh:sparql [ sh:message "odd" ; sh:select "SELECT $this WHERE { $this <${EX}odd> ?o }" ] .
:Off a sh:NodeShape ; sh:targetClass :Robot ; sh:deactivated true .
`;

let filling: Promise<void> | null = null;

function filled(server: TestServer): Promise<void> {
  filling ??= (async () => {
    const { store } = server.running;
    const people = Array.from(
      { length: 60 },
      (_, at) =>
        `:p${at} a :Person ; :status "${at % 20 === 7 ? 'gone' : 'active'}" ${at % 10 === 3 ? '' : `; :name "n${at}"`} ; :email "a@b" .`,
    );
    const deep = Array.from({ length: 3 }, (_, at) => `:Level${at + 1} rdfs:subClassOf :Level${at} .`);
    const many = Array.from({ length: 450 }, (_, at) => `:many${String(at).padStart(4, '0')} rdfs:subClassOf :Many .`);
    const circle =
      ':CircleA rdfs:subClassOf :CircleB . :CircleB rdfs:subClassOf :CircleA . :Knot rdfs:subClassOf :CircleB . :CircleA rdfs:subClassOf :Many .';
    const text = [
      PREFIXES,
      ...people,
      ...deep,
      ...many,
      circle,
      ':Person rdfs:subClassOf :Agent . :r a :Robot ; :tag "x"@de .',
      `:long a <${EX}${'class/'.repeat(60)}> .`,
    ];
    await store.load({ text: text.join('\n'), format: 'turtle' }, { timestamp: '2026-01-01' });
    await store.loadShapes('people', SHAPES, { timestamp: '2026-01-02' });
  })();
  return filling;
}

const tree = (page: Page) => page.getByRole('tree', { name: 'Classes' });
const item = (page: Page, name: string) => tree(page).getByRole('treeitem').filter({ hasText: name });
const detail = (page: Page) => page.getByRole('region', { name: 'Detail' });

test('an empty store has no classes, no predicates and no shapes, and says so', async (t) => {
  const { page } = await open(t, { path: '/ui#/schema' });
  await page.getByText('There are no classes: nothing has a type.').waitFor();
  await page.getByText('No statements.').waitFor();
  await page.getByRole('button', { name: /^Shapes/ }).click();
  await page.getByText('No shapes are stored').waitFor();
  await assertAccessible(page, 'empty');
});

test('the tree opens level by level from the keyboard, in pages, with counts, and no circle goes on for ever', async (t) => {
  await filled(await theServer());
  const { page } = await open(t, { path: '/ui#/schema' });
  await item(page, '/Agent').waitFor();
  await item(page, '/Agent').focus();
  await page.keyboard.press('ArrowRight');
  await item(page, '/Person').waitFor();
  assert.match(await item(page, '/Person').innerText(), /60$/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await addressHas(page, /class=http.*Person/);
  await detail(page)
    .getByRole('row', { name: /\/status\s+60/ })
    .waitFor();
  await detail(page).getByRole('button', { name: 'Person' }).waitFor();
  await assertAccessible(page, 'class');
  await item(page, '/Many').focus();
  await page.keyboard.press('ArrowRight');
  await item(page, 'many0197').waitFor();
  await page.getByRole('button', { name: 'More under' }).click();
  await item(page, 'many0300').waitFor();
  const circle = item(page, '/CircleA').first();
  await circle.focus();
  await page.keyboard.press('ArrowRight');
  await item(page, '/CircleB').first().focus();
  await page.keyboard.press('ArrowRight');
  await item(page, '/Knot').waitFor();
  assert.equal(await item(page, '/CircleA').nth(1).getAttribute('aria-expanded'), null, 'it ends where it began');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Home');
});

test('classes are found by a part of their IRI, and listed by instances', async (t) => {
  await filled(await theServer());
  const { page } = await open(t, { path: '/ui#/schema' });
  await page.getByRole('button', { name: 'By instances' }).click();
  await item(page, '/Person').waitFor();
  assert.match(await tree(page).getByRole('treeitem').first().innerText(), /Person/);
  await page.getByRole('searchbox', { name: /Find classes/ }).fill('LEVEL2');
  await page.keyboard.press('Enter');
  await item(page, '/Level2').waitFor();
  assert.equal(await tree(page).getByRole('treeitem').count(), 1);
  await page.getByRole('searchbox', { name: /Find classes/ }).fill('"quoted\\');
  await page.keyboard.press('Enter');
  await page.getByText('No class has this in its IRI.').waitFor();
});

test('shapes of every kind are forms, and can be read by everybody', async (t) => {
  await filled(await theServer());
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await open(t, { colorScheme, path: '/ui#/schema' });
    await page.getByRole('button', { name: 'Shapes 5' }).press('Enter');
    await page.getByRole('button', { name: 'Person', exact: true }).press('Enter');
    await addressHas(page, /shape=http.*PersonShape/);
    const form = detail(page);
    await form.getByRole('group', { name: /اسم طويل/ }).waitFor();
    const text = await form.innerText();
    const told = [
      'exactly 1 · xsd:string',
      '^:knows',
      ':knows/(:knows|:likes)+',
      'sh:qualifiedMinCount',
      'At least one of these',
      'Exactly one of these',
      'It must not have this shape',
      'sh:lessThan',
      'Somebody \\u202Ewho lives',
    ];
    for (const one of told) assert.ok(text.includes(one), `${one} in ${text}`);
    assert.deepEqual(await form.getByRole('combobox', { name: ':status' }).getByRole('option').allInnerTexts(), [
      'active',
      'retired',
      'javascript:alert(1)',
    ]);
    assert.equal(await form.locator('input[type=date]').count(), 1);
    await assertAccessible(page, `form, ${colorScheme}`);
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-${colorScheme}.png` });
    await form.getByRole('button', { name: ':AddressShape' }).first().press('Enter');
    await form.getByText('other shapes refer to it').waitFor();
    await page.getByRole('button', { name: ':Off' }).click();
    await form.getByText('Deactivated').waitFor();
    await page.getByRole('button', { name: ':Queried' }).click();
    await form.getByText('SELECT $this WHERE').waitFor();
  }
});

test('the instances that break a shape are listed, in pages', async (t) => {
  await filled(await theServer());
  const { page } = await open(t, { path: `/ui#/schema?shape=${encodeURIComponent(`${EX}PersonShape`)}` });
  await page.getByRole('button', { name: 'Check instances' }).press('Enter');
  await page.getByText(/^50 of 60 instances checked/).waitFor();
  await page.getByRole('button', { name: 'Check 50 more' }).click();
  await page.getByText(/^60 of 60 instances checked, 60 of them break a shape/).waitFor();
  const table = page.getByRole('table', { name: 'What is wrong' });
  // Every tenth has no name, and three have another status.
  assert.equal(await table.getByRole('row').filter({ hasText: '/name' }).count(), 6);
  assert.equal(await table.getByRole('row').filter({ hasText: 'gone' }).count(), 3);
  await assertAccessible(page, 'results');
  await page.getByRole('button', { name: ':Tagged' }).click();
  await page.getByRole('button', { name: 'Check instances' }).click();
  await page.getByText(/^1 of 1 instances checked, 1 of them/).waitFor();
  await table.getByText('Warning').waitFor();
});

test('a shape that is not there, and a class that is no IRI, are told', async (t) => {
  await filled(await theServer());
  const { page } = await open(t, { path: '/ui#/schema?shape=urn:none' });
  await page.getByRole('alert').getByText('There is no shape urn:none').waitFor();
  const other = await open(t, { path: `/ui#/schema?class=${encodeURIComponent('x> } DROP ALL')}` });
  await other.page.getByRole('alert').getByText('is no IRI').waitFor();
});

test('on a phone nothing is wider than the page', async (t) => {
  await filled(await theServer());
  const { page } = await open(t, {
    path: `/ui#/schema?shape=${encodeURIComponent(`${EX}PersonShape`)}`,
    viewport: { width: 390, height: 800 },
  });
  await page.getByRole('button', { name: 'Check instances' }).waitFor();
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  assert.ok((wide as number) <= 390, `${wide} pixels`);
  await assertAccessible(page, 'phone');
});
