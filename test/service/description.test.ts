/** The description of the service: what it must say, counts that are those of queries, and what it must not tell. */
import assert from 'node:assert/strict';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { answerOperation } from '../../engine/service/operations/definition/answer-operation.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { body, configuration, document, operationOf, run, textOf } from './reads-support.js';
import { EX, knot, onBothStores } from './time-support.js';

const BASE = 'http://host:1';
const PREFIXES = `PREFIX sd: <http://www.w3.org/ns/sparql-service-description#> PREFIX void: <http://rdfs.org/ns/void#>
  PREFIX f: <http://www.w3.org/ns/formats/> `;

/** The description as a store of its own. */
async function described(store: Store, representation = 'turtle'): Promise<Store> {
  const { text } = await document(store, 'void', { base_url: BASE }, representation);
  const description = await openStore(':memory:');
  await description.load({ text, format: representation === 'turtle' ? 'turtle' : 'jsonld' });
  return description;
}

async function rowsOf(store: Store, query: string): Promise<unknown[]> {
  return (await body(store, 'read', { query: PREFIXES + query })).rows.map((row: Record<string, unknown>) =>
    Object.values(row),
  );
}

const asks = async (store: Store, pattern: string) =>
  (await body(store, 'read', { query: `${PREFIXES} ASK { ${pattern} }` })).result;

async function fill(store: Store): Promise<void> {
  await knot(store, 'ex:a a ex:T ; <http://words.example/ns#p> 1, 2 . _:b ex:q ex:a . <urn:x> ex:q "x" .');
  await store.update(
    `INSERT DATA { GRAPH <${EX}g> { <${EX}s> <${EX}p> 1, 2 } GRAPH <${EX}h> { <${EX}s> <${EX}p> 1 } }`,
  );
  await store.update(`CREATE GRAPH <${EX}empty>`);
  await store.update(`DELETE DATA { GRAPH <${EX}h> { <${EX}s> <${EX}p> 1 } }`);
}

onBothStores('what clients look for is there, in both syntaxes', async (store) => {
  await fill(store);
  for (const form of ['turtle', 'jsonld']) {
    const description = await described(store, form);
    for (const pattern of [
      `<${BASE}/.well-known/void> a void:DatasetDescription`,
      `<${BASE}/query> a sd:Service ; sd:endpoint <${BASE}/query>`,
      `<${BASE}/query> sd:supportedLanguage sd:SPARQL11Query, sd:SPARQL11Update`,
      `<${BASE}/query> sd:resultFormat f:SPARQL_Results_JSON, f:SPARQL_Results_XML, f:SPARQL_Results_CSV, f:SPARQL_Results_TSV, f:Turtle, f:N-Triples`,
      `<${BASE}/query> sd:defaultEntailmentRegime <http://www.w3.org/ns/entailment/Simple> ; sd:feature <http://www.w3.org/ns/entailment/RDFS>`,
      `<${BASE}/query> sd:defaultDataset [ a sd:Dataset ; void:sparqlEndpoint <${BASE}/query> ; void:uriLookupEndpoint <${BASE}/entity?iri=> ]`,
      '?d sd:defaultGraph [ a sd:Graph, void:Dataset ; void:triples 5 ; void:distinctSubjects 3 ; void:properties 3 ]',
    ]) {
      assert.equal(await asks(description, pattern), true, `${form}: ${pattern}`);
    }
    assert.equal(await asks(description, '?s sd:feature sd:BasicFederatedQuery'), false);
    assert.equal(await asks(description, '?s sd:feature sd:UnionDefaultGraph'), false);
    assert.equal(await asks(description, '?s sd:feature <http://www.w3.org/ns/entailment/OWL-RDF-Based>'), false);
    const vocabularies = await rowsOf(description, 'SELECT ?v { ?d void:vocabulary ?v } ORDER BY ?v');
    const expected = [EX, 'http://words.example/ns#', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'];
    assert.deepEqual(
      vocabularies,
      expected.map((one) => [one]),
    );
    await description.close();
  }
  const [turtle, jsonld] = [await described(store), await described(store, 'jsonld')];
  assert.equal(turtle.stats().factsCurrent, jsonld.stats().factsCurrent);
});

onBothStores(
  'named graphs: each with the count that a query gives, empty ones too, and none that is the service’s own',
  async (store) => {
    await fill(store);
    const description = await described(store);
    const graphs = await rowsOf(
      description,
      'SELECT ?name ?n { ?d sd:namedGraph [ sd:name ?name ; sd:graph [ a sd:Graph ; void:triples ?n ] ] } ORDER BY ?name',
    );
    assert.deepEqual(graphs, [
      [`${EX}empty`, 0],
      [`${EX}g`, 2],
      [`${EX}h`, 0],
    ]);
    for (const [name, triples] of graphs as [string, number][]) {
      const [[count]] = (await rowsOf(store, `SELECT (COUNT(*) AS ?n) { GRAPH <${name}> { ?s ?p ?o } }`)) as [[number]];
      assert.equal(count, triples, name);
    }
    const [[facts]] = (await rowsOf(store, 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }')) as [[number]];
    assert.equal(await asks(description, `?d sd:defaultGraph [ void:triples ${facts} ]`), true);
    await store.update(`INSERT DATA { <${EX}new> <${EX}q> 1 }`);
    const after = await described(store);
    assert.equal(
      await asks(after, `?d sd:defaultGraph [ void:triples ${facts + 1} ; void:distinctSubjects 4 ]`),
      true,
      'live',
    );
    assert.equal(store.stats().snapshots.open, 0);
  },
);

onBothStores('an empty store, federation, inference off, and answers that nobody reads', async (store) => {
  const empty = await described(store);
  assert.equal(
    await asks(empty, '?d sd:defaultGraph [ void:triples 0 ; void:distinctSubjects 0 ; void:properties 0 ]'),
    true,
  );
  assert.equal(await asks(empty, '?d sd:namedGraph ?g'), false);
  const other = parseConfiguration(
    '[svc]\n[svc.query]\nsubclass_inference = false\n[svc.features]\nowl = true\n[[svc.federation.service_endpoints]]\nurl = "http://secret.example/sparql"\nauth_token = "hush"',
    'test',
  );
  const context = { store, configuration: other, control: {}, documents: [], representation: 'turtle' };
  const text = await textOf(await answerOperation(operationOf('void'), { base_url: BASE }, context));
  assert.match(text, /sd:BasicFederatedQuery/);
  assert.match(text, /entailment\/OWL-RDF-Based/);
  assert.doesNotMatch(text, /entailment\/RDFS|secret|hush/);
  (await answerOperation(operationOf('void'), {}, { ...context, configuration })).close();
  const answer = await run(store, 'void', {}, 'body');
  assert.ok(answer.kind === 'document');
  assert.ok((await textOf(answer.chunks)).includes(`http://${configuration.server.bind}/query`));
  assert.equal(store.stats().snapshots.open, 0);
});
