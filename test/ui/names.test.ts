/** How IRIs are shown: by the prefixes of the stored shapes in every view, and things with their names. */
import assert from 'node:assert/strict';
import { assertAccessible, uiTests } from './browser.js';

const { test, open, server: theServer } = uiTests();

const ZOO = 'http://zoo.example/ns#';
const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix zoo: <${ZOO}> . @prefix : <http://nobody.example/> .
zoo:AnimalShape a sh:NodeShape ; sh:targetClass zoo:Animal ; sh:property [ sh:path zoo:eats ; sh:minCount 0 ] .`;
const FACTS = `@prefix zoo: <${ZOO}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
zoo:leo a zoo:Animal ; rdfs:label "Leo"@en ; zoo:eats zoo:meat , <http://nobody.example/x> .
zoo:meat rdfs:label "Fleisch"@de , "Meat"@en . zoo:keeper zoo:feeds zoo:leo ; rdfs:label "الحارس"@ar .`;

let loaded: Promise<void> | undefined;
function data(): Promise<void> {
  loaded ??= (async () => {
    const { post } = await theServer();
    const shapes = await post('/shapes', { action: 'load', name: 'zoo', turtle: SHAPES });
    assert.equal(shapes.status, 200, await shapes.text());
    assert.equal((await post('/knot', { turtle: FACTS })).status, 200);
  })();
  return loaded;
}

test('an entity: predicates, types and values by prefix, with names, and the empty prefix is nobody’s', async (t) => {
  await data();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await open(t, { path: `/entity/${encodeURIComponent(`${ZOO}leo`)}`, colorScheme });
    const facts = page.getByRole('region', { name: 'Facts' });
    const eats = facts.getByRole('row', { name: /zoo:eats/ });
    await eats.getByRole('link', { name: 'zoo:meat', exact: true }).waitFor();
    await eats.getByText('Meat', { exact: true }).waitFor();
    await eats.getByRole('link', { name: 'http://nobody.example/x', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Incoming' }).getByText('الحارس').waitFor();
    await page.locator('.types').getByRole('link', { name: 'zoo:Animal', exact: true }).waitFor();
    await assertAccessible(page, `${colorScheme}, names`);
  }
});

test('the timeline, the explorer and the schema shorten by the same prefixes', async (t) => {
  await data();
  const { page, go } = await open(t, { path: '/ui#/timeline?a=0&b=9' });
  const changed = page.getByRole('region', { name: 'What changed' });
  await changed.getByRole('link', { name: 'zoo:feeds', exact: true }).waitFor();
  await go(`/explore?pick=${encodeURIComponent(`${ZOO}leo`)}`);
  const panel = page.getByRole('complementary', { name: 'Entity' });
  await panel.getByText('zoo:eats', { exact: true }).first().waitFor();
  await go('/schema');
  await page.getByRole('treeitem', { name: /zoo:Animal/ }).waitFor();
});
