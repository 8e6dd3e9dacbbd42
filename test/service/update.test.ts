/** SPARQL Update: what requests change, in one transaction, on both kinds of store. */
import assert from 'node:assert/strict';
import { factsAt, historyOf, knot, onBothStores, T, trace } from './time-support.js';
import { changes, quadsOf, short, update } from './update-support.js';

const NOTHING = { tx: 0, inserted: 0, deleted: 0, graphs: [] };

onBothStores(
  'INSERT DATA and DELETE DATA, in ROOT and in graphs; what is there already is no change',
  async (store) => {
    const insert = 'INSERT DATA { :a :p 1, 01 . GRAPH :g { :a :p 1 } GRAPH <urn:svc:graph:root> { :b :p "x"@EN } }';
    assert.deepEqual(await changes(store, insert), { tx: 1, inserted: 4, deleted: 0, graphs: ['ROOT', ':g'] });
    assert.deepEqual(quadsOf(store), [':a :p 01', ':a :p 1', ':b :p "x"@EN', ':g :a :p 1']);
    assert.deepEqual(await changes(store, insert), NOTHING);
    assert.deepEqual(await changes(store, 'DELETE DATA { :a :p 1, 2 . :nobody :p 1 }'), {
      tx: 2,
      inserted: 0,
      deleted: 1,
      graphs: ['ROOT'],
    });
    assert.deepEqual(quadsOf(store), [':a :p 01', ':b :p "x"@EN', ':g :a :p 1']);
    assert.deepEqual(await changes(store, 'DELETE DATA { :a :p 1 }'), NOTHING);
    assert.deepEqual(await changes(store, ''), NOTHING);
  },
);

onBothStores('the source is sparql-update; timestamp and actor are the caller’s', async (store) => {
  const result = await update(store, 'INSERT DATA { :a :p 1 }', { timestamp: T(1), actor: 'ana' });
  assert.deepEqual(result, {
    tx: 1,
    timestamp: T(1),
    inserted: 1,
    deleted: 0,
    graphs: ['urn:svc:graph:root'],
    findings: [],
  });
  assert.deepEqual(store.transactions(), [
    {
      id: 1,
      timestamp: T(1),
      actor: 'ana',
      source: 'sparql-update',
      authenticated: null,
      quadsAdded: 1,
      quadsRetracted: 0,
    },
  ]);
});

onBothStores('all solutions are found before anything is deleted, and deletes come before inserts', async (store) => {
  await update(store, 'INSERT DATA { :a :n 1 . :b :n 2 . :c :n 3 }');
  // A chain: were the inserts seen by the pattern, it would not end.
  const next = 'DELETE { ?s :n ?n } INSERT { ?s :n ?m } WHERE { ?s :n ?n BIND(?n + 1 AS ?m) }';
  assert.deepEqual(await changes(store, next), { tx: 2, inserted: 3, deleted: 3, graphs: ['ROOT'] });
  assert.deepEqual(quadsOf(store), [':a :n 2', ':b :n 3', ':c :n 4']);
  // What one solution deletes and another inserts stays.
  const shift = 'DELETE { ?s :n ?n } INSERT { :all :n ?n . ?s :n 3 } WHERE { ?s :n ?n }';
  assert.deepEqual(await changes(store, shift), { tx: 3, inserted: 5, deleted: 2, graphs: ['ROOT'] });
  assert.deepEqual(quadsOf(store), [':a :n 3', ':all :n 2', ':all :n 3', ':all :n 4', ':b :n 3', ':c :n 3']);
});

onBothStores('operations see what the ones before them did; changes are netted over the request', async (store) => {
  await update(store, 'INSERT DATA { :a :p 1 }', { timestamp: T(1) });
  const netted =
    'DELETE DATA { :a :p 1 } ; INSERT DATA { :a :p 1 } ; INSERT DATA { :x :p 1 } ; DELETE WHERE { :x ?p ?o }';
  assert.deepEqual(await changes(store, netted, { timestamp: T(2) }), NOTHING);
  const chain = `INSERT DATA { :a :p 2 } ; INSERT { ?s :q ?o } WHERE { ?s :p ?o } ;
    DELETE { ?s :p ?o } WHERE { ?s :q ?o } ; DELETE { ?s :p ?o } INSERT { ?s :p ?o } WHERE { ?s :q ?o }`;
  assert.deepEqual(await changes(store, chain, { timestamp: T(3) }), {
    tx: 2,
    inserted: 3,
    deleted: 0,
    graphs: ['ROOT'],
  });
  assert.deepEqual(await historyOf(store, 'a'), [
    'assert ex:p 1 tx1 [T1,)',
    'assert ex:p 2 tx2 [T3,)',
    'assert ex:q 1 tx2 [T3,)',
    'assert ex:q 2 tx2 [T3,)',
  ]);
});

onBothStores('a deletion closes: what was there before is still there for reads in the past', async (store) => {
  await update(store, 'INSERT DATA { :a :p 1 . :b :p 2 }', { timestamp: T(1) });
  await update(store, 'DELETE { ?s ?p ?o } INSERT { ?s ?p 9 } WHERE { ?s ?p ?o FILTER(?o = 1) }', { timestamp: T(4) });
  assert.deepEqual(factsAt(store), ['ex:a ex:p 9', 'ex:b ex:p 2']);
  assert.deepEqual(factsAt(store, { tx: 1 }), ['ex:a ex:p 1', 'ex:b ex:p 2']);
  assert.deepEqual(factsAt(store, { validAt: T(2) }), ['ex:a ex:p 1', 'ex:b ex:p 2']);
  assert.deepEqual(await historyOf(store, 'a'), [
    'assert ex:p 1 tx1 [T1,T4)',
    'retract ex:p 1 tx2 [T1,)',
    'assert ex:p 9 tx2 [T4,)',
  ]);
});

onBothStores('an error in a later operation leaves nothing of the request', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', { timestamp: T(1) });
  const before = await trace(store);
  const failing = [
    'INSERT DATA { :new :p 1 } ; DELETE WHERE { ?s ?p ?o } ; CREATE GRAPH <urn:svc:graph:root>',
    'INSERT DATA { :new :p 1 } ; CLEAR GRAPH :nowhere',
    'INSERT DATA { :new :p 1 } ; LOAD <file:///nowhere.ttl>',
    'INSERT DATA { :new :p 1 } ; INSERT { GRAPH ?g { :a :p 2 } } WHERE { BIND(IRI("http://x/g#inferred") AS ?g) }',
  ];
  for (const text of failing) {
    await assert.rejects(update(store, text), { code: 'invalid_request' }, text);
    assert.deepEqual(await trace(store), before, text);
  }
});

onBothStores('a deadline and a signal end an update, and leave nothing of it', async (store) => {
  const items = Array.from({ length: 300 }, (_, at) => `:s${at} :p ${at}`).join(' . ');
  await update(store, `INSERT DATA { ${items} }`, { timestamp: T(1) });
  const before = await trace(store);
  const product = 'INSERT { ?a :q ?z } WHERE { ?a :p ?x . ?b :p ?y . ?c :p ?z . ?d :p ?w }';
  await assert.rejects(update(store, product, { timeoutMs: 60 }), {
    code: 'query_timeout',
    message: /update\.timeout_ms/,
  });
  const reason = new Error('enough');
  const abort = new AbortController();
  setTimeout(() => abort.abort(reason), 60);
  await assert.rejects(update(store, product, { signal: abort.signal }), { code: 'aborted', cause: reason });
  assert.deepEqual(await trace(store), before);
  assert.deepEqual(await changes(store, 'DELETE DATA { :s1 :p 1 }'), {
    tx: 2,
    inserted: 0,
    deleted: 1,
    graphs: ['ROOT'],
  });
});

onBothStores('quads that can not be are left out, the others of the solution stay', async (store) => {
  await update(store, 'INSERT DATA { :a :p 1 . :b :p :c . :c :label "C" }');
  await update(
    store,
    `INSERT { ?o :from ?s . ?s ?o :x . ?s :label ?none . GRAPH ?o { ?s :in ?o } ?s :seen true . ?s :l ?l }
     WHERE { ?s :p ?o OPTIONAL { ?o :label ?l } }`,
  );
  assert.deepEqual(
    quadsOf(store).filter((line) => !/^:\w :(p|label) /.test(line)),
    [':a :seen true', ':b :c :x', ':b :l "C"', ':b :seen true', ':c :b :in :c', ':c :from :b'].sort(),
  );
  // A computed value that no store knows has nothing to delete.
  assert.deepEqual(
    await changes(store, 'DELETE { ?s :p ?x } WHERE { ?s :p ?o BIND(CONCAT("new", "value") AS ?x) }'),
    NOTHING,
  );
});

onBothStores('WITH, USING, USING NAMED and GRAPH choose what is read and written', async (store) => {
  await knot(store, 'ex:r ex:p 0 . ex:g1 { ex:a ex:p 1 } ex:g2 { ex:a ex:p 2 . ex:b ex:p 2 }');
  await update(store, 'WITH :g1 DELETE { ?s :p ?o } INSERT { ?s :q ?o . GRAPH :out { ?s :w ?o } } WHERE { ?s :p ?o }');
  assert.deepEqual(quadsOf(store), [':g1 :a :q 1', ':g2 :a :p 2', ':g2 :b :p 2', ':out :a :w 1', ':r :p 0']);
  await update(store, 'WITH :g1 INSERT { ?s :u ?o } USING :g2 WHERE { ?s :p ?o FILTER NOT EXISTS { ?s :q ?x } }');
  assert.deepEqual(
    quadsOf(store).filter((line) => line.startsWith(':g1')),
    [':g1 :a :q 1', ':g1 :a :u 2', ':g1 :b :u 2'],
  );
  await update(store, 'INSERT { ?s :n ?g } USING NAMED :g2 WHERE { GRAPH ?g { ?s :p ?o } }');
  await update(store, 'INSERT { ?s :none ?g } USING :g1 WHERE { GRAPH ?g { ?s :p ?o } }');
  assert.deepEqual(
    quadsOf(store).filter((line) => !/^:(g\d|out|r) /.test(line)),
    [':a :n :g2', ':b :n :g2'],
  );
  await update(store, 'DELETE WHERE { GRAPH ?g { :a ?p ?o } }');
  assert.deepEqual(quadsOf(store), [':a :n :g2', ':b :n :g2', ':g1 :b :u 2', ':g2 :b :p 2', ':r :p 0']);
});

onBothStores('the graphs of the protocol are read as with USING, and not together with it', async (store) => {
  await knot(store, 'ex:r ex:p 0 . ex:g1 { ex:a ex:p 1 } ex:g2 { ex:b ex:p 2 }');
  const copy = 'INSERT { ?s :copied ?o } WHERE { ?s :p ?o }';
  const g = (name: string) => `http://example.org/${name}`;
  await update(store, copy, { usingGraphs: [g('g1'), g('g2')] });
  await update(store, 'INSERT { ?s :named ?g } WHERE { GRAPH ?g { ?s :p ?o } }', { usingNamedGraphs: [g('g1')] });
  assert.deepEqual(
    quadsOf(store).filter((line) => !/^:(g\d|r) /.test(line)),
    [':a :copied 1', ':a :named :g1', ':b :copied 2'],
  );
  for (const text of [`${copy.replace('WHERE', 'USING :g1 WHERE')}`, `WITH :g1 ${copy}`]) {
    await assert.rejects(update(store, text, { usingGraphs: [g('g1')] }), { code: 'invalid_request' }, text);
  }
});

onBothStores('blank nodes: of the request in data, new for each solution in templates', async (store) => {
  const data = 'INSERT DATA { _:x :p 1 ; :knows [ :p 2 ], [ :p 3 ] . GRAPH :g { _:x :p 4 } }';
  assert.deepEqual(await changes(store, data), { tx: 1, inserted: 6, deleted: 0, graphs: ['ROOT', ':g'] });
  assert.deepEqual(await changes(store, data), NOTHING, 'the same request again names the same nodes');
  const labels = new Set(quadsOf(store).flatMap((line) => line.match(/_:\S+/g) ?? []));
  assert.equal(labels.size, 3);
  assert.deepEqual([...labels].map((label) => label.replace(/^_:d[0-9a-f]{16}/, '')).sort(), ['-x', 'a0', 'a1']);

  await update(store, 'DELETE WHERE { ?s ?p ?o } ; INSERT DATA { :a :n 1 . :b :n 2 }');
  const template = 'INSERT { _:n :of ?s . _:n :value ?v . ?s :other [] } WHERE { ?s :n ?v }';
  assert.deepEqual(await changes(store, template), { tx: 3, inserted: 6, deleted: 0, graphs: ['ROOT'] });
  assert.deepEqual(await changes(store, template), { tx: 4, inserted: 6, deleted: 0, graphs: ['ROOT'] });
  const ofs = quadsOf(store).filter((line) => / :of /.test(line));
  assert.equal(new Set(ofs.map((line) => line.split(' ')[0])).size, 4);
  // In a pattern a blank node is a variable.
  await update(store, 'DELETE { ?s :other ?o } WHERE { ?s :other ?o . _:any :of ?s }');
  assert.ok(!quadsOf(store).some((line) => / :other /.test(line)));
});

onBothStores('blank nodes that an expression makes are new, and one within a solution', async (store) => {
  await update(store, 'INSERT DATA { :a :n 1 . :b :n 2 }');
  await update(store, 'INSERT { ?s :node ?x . ?x :of ?s } WHERE { ?s :n ?v BIND(BNODE() AS ?x) }');
  const lines = quadsOf(store);
  const nodes = lines.filter((line) => / :node /.test(line)).map((line) => line.split(' ')[2] as string);
  assert.equal(new Set(nodes).size, 2);
  for (const node of nodes) {
    assert.match(node, /^_:d[0-9a-f]{16}a\d+$/);
    assert.equal(lines.filter((line) => line.startsWith(`${node} :of `)).length, 1);
  }
});

onBothStores('values that are computed are written with their lexical form', async (store) => {
  await update(store, 'INSERT DATA { :a :n 1.25 ; :name "Ann" }');
  await update(
    store,
    `INSERT { ?s :twice ?d ; :loud ?u ; :id ?i } WHERE { ?s :n ?n ; :name ?m
       BIND(?n * 2 AS ?d) BIND(UCASE(?m) AS ?u) BIND(IRI(CONCAT("http://example.org/", ?m)) AS ?i) }`,
  );
  assert.deepEqual(
    quadsOf(store)
      .filter((line) => / :(twice|loud|id) /.test(line))
      .map(short),
    [':a :id :Ann', ':a :loud "ANN"', ':a :twice 2.5'],
  );
});
