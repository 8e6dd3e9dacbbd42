/** Explanations of what rules derive (semantics of reasoning, 2.5, EX-2.6; rulings R33 and R71). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, terms } from '../../../interfaces/library/index.js';
import { onBothStores } from '../../service/time-support.js';
import { EX, knot, PROLOGUE, ROOT, retract, rulesOf, run } from '../rules/support.js';
import { explain, lines, shown } from './support.js';

const R1 = rulesOf('R1: affects(?p, ?s) :- installedIn(?p, ?c), runs(?c, ?s)');

onBothStores(
  'EX-2.6 a rule, its bindings, its premises; a premise that is gone; a fact that is gone',
  async (store) => {
    await knot(store, 'ex:nginx ex:installedIn ex:ctA . ex:ctA ex:runs ex:s1, ex:s2 .');
    await run(store, R1);
    const first = await explain(store, 'nginx affects s1');
    assert.deepEqual([first.found, first.source, first.graph], [true, 'reasoner:R1', 'urn:svc:graph:root#inferred']);
    assert.equal(first.tx, store.transactions().at(-1)?.id);
    const { derivation } = first;
    assert.ok(derivation?.kind === 'rule');
    assert.equal(derivation.rule, 'R1');
    const bindings = Object.entries(derivation.bindings ?? {}).map(([name, term]) => [name, term.value]);
    assert.deepEqual(Object.fromEntries(bindings), { p: `${EX}nginx`, c: `${EX}ctA`, s: `${EX}s1` });
    assert.deepEqual(derivation.absence, []);
    assert.deepEqual(
      derivation.support.map((one) => [shown(one.fact), one.found, one.tx, one.derivation]),
      [
        ['nginx installedIn ctA', true, 1, null],
        ['ctA runs s1', true, 1, null],
      ],
    );
    await retract(store, 'ex:ctA ex:runs ex:s1 .');
    const closedTx = store.transactions().at(-1)?.id;
    const stale = await explain(store, 'nginx affects s1');
    assert.equal(stale.found, true);
    assert.ok(stale.derivation?.kind === 'rule');
    const [, gone] = stale.derivation.support;
    assert.deepEqual(
      [gone?.found, gone?.absent, gone?.tx, gone?.closedTx, gone?.derivation],
      [false, true, 1, closedTx, null],
    );
    await run(store, R1);
    const after = await explain(store, 'nginx affects s1');
    assert.deepEqual(
      [after.found, after.tx, after.source, after.graph, after.derivation, shown(after.fact)],
      [false, null, null, null, null, 'nginx affects s1'],
    );
  },
);

onBothStores('a base fact has no derivation, and wins over the same fact derived', async (store) => {
  await knot(store, 'ex:a ex:p ex:b .');
  await run(store, rulesOf('R: q(?x, ?y) :- p(?x, ?y)'));
  assert.deepEqual(lines(await explain(store, 'a p b')), ['a p b in ROOT']);
  assert.equal((await explain(store, 'a q b')).source, 'reasoner:R');
  await knot(store, 'ex:a ex:q ex:b .');
  const both = await explain(store, 'a q b');
  assert.deepEqual([...lines(both), both.derivation], ['a q b in ROOT', null]);
});

onBothStores('the smallest list of premises is shown, present ones before any that is gone', async (store) => {
  await knot(store, 'ex:a ex:p ex:m1, ex:m2, ex:m3 . ex:m1 ex:q ex:z . ex:m2 ex:q ex:z . ex:m3 ex:q ex:z .');
  await run(store, rulesOf('R: h(?x, ?z) :- p(?x, ?y), q(?y, ?z)'));
  assert.deepEqual(lines(await explain(store, 'a h z')).slice(1), ['  a p m1', '  m1 q z']);
  await retract(store, 'ex:m1 ex:q ex:z .');
  assert.deepEqual(lines(await explain(store, 'a h z')).slice(1), ['  a p m2', '  m2 q z']);
  await retract(store, 'ex:a ex:p ex:m2, ex:m3 .');
  const closed = store.transactions().at(-1)?.id as number;
  assert.deepEqual(lines(await explain(store, 'a h z')).slice(1), ['  a p m1', `  m1 q z closed by ${closed - 1}`]);
});

onBothStores('a fact that was added and closed after the derivation is no premise', async (store) => {
  await knot(store, 'ex:a ex:p ex:m5 . ex:m5 ex:q ex:z .');
  await run(store, rulesOf('R: h(?x, ?z) :- p(?x, ?y), q(?y, ?z)'));
  await knot(store, 'ex:a ex:p ex:m1 . ex:m1 ex:q ex:z .');
  await retract(store, 'ex:a ex:p ex:m1, ex:m5 .');
  const closed = store.transactions().at(-1)?.id;
  assert.deepEqual(lines(await explain(store, 'a h z')).slice(1), [`  a p m5 closed by ${closed}`, '  m5 q z']);
});

onBothStores('negated atoms stand under absence, and a match in which they hold comes first', async (store) => {
  await knot(store, 'ex:a ex:p ex:m1, ex:m2 . ex:m1 ex:q ex:z . ex:m2 ex:q ex:z . ex:m1 ex:bad ex:z .');
  await run(
    store,
    rulesOf('R: h(?x, ?z) :- p(?x, ?y), q(?y, ?z), not bad(?y, ?z), not never("v", ?z)'.replace('"v"', 'v')),
  );
  assert.deepEqual(lines(await explain(store, 'a h z')).slice(1), [
    '  a p m2',
    '  m2 q z',
    '  not m2 bad z held',
    '  not v never z held',
  ]);
  await knot(store, 'ex:m2 ex:bad ex:z .');
  assert.deepEqual(lines(await explain(store, 'a h z')).slice(1), [
    '  a p m1',
    '  m1 q z',
    '  not m1 bad z broken',
    '  not v never z held',
  ]);
});

onBothStores(
  'premises of recursive rules come from the companion; depth cuts, and a fact on the path is a cycle',
  async (store) => {
    await knot(store, 'ex:a ex:dep ex:b . ex:b ex:dep ex:c . ex:c ex:dep ex:d .');
    await run(store, rulesOf('R: dep(?x, ?z) :- dep(?x, ?y), dep(?y, ?z)'));
    const whole = [
      'a dep d in ROOT#inferred by rule R',
      '  a dep b',
      '  b dep d by rule R',
      '    b dep c',
      '    c dep d',
    ];
    assert.deepEqual(lines(await explain(store, 'a dep d')), whole);
    assert.deepEqual(lines(await explain(store, 'a dep d', { depth: 2 })), whole);
    assert.deepEqual(lines(await explain(store, 'a dep d', { depth: 1 })), [
      'a dep d in ROOT#inferred by rule R',
      '  a dep b',
      '  b dep d truncated',
    ]);
    const cut = await explain(store, 'a dep d', { depth: 0 });
    assert.deepEqual([lines(cut), 'derivation' in cut], [['a dep d in ROOT#inferred truncated'], false]);
    assert.equal(
      (await explain(store, 'a dep b', { depth: 0 })).truncated,
      undefined,
      'nothing is cut from a base fact',
    );
  },
);

onBothStores('a fact on the path is not expanded again', async (store) => {
  await knot(store, 'ex:a ex:p ex:b .');
  const rules = rulesOf('A: q(?x, ?y) :- r(?x, ?y)', 'B: r(?x, ?y) :- q(?x, ?y)', 'C: r(?x, ?y) :- p(?x, ?y)');
  await run(store, rules);
  // r is B's, as the first rule in order that derives it, and q follows from r.
  assert.deepEqual(lines(await explain(store, 'a q b')), [
    'a q b in ROOT#inferred by rule A',
    '  a r b by rule B',
    '    a q b cycle',
  ]);
});

onBothStores(
  'the current rule: the stored one, else the one that ran last on that graph; without one it is missing',
  async (store) => {
    await knot(store, 'ex:a ex:p ex:b . ex:a ex:q ex:b .');
    await knot(store, 'ex:a ex:p ex:b .', { graph: 'urn:g1' });
    await run(store, rulesOf('R: h(?x, ?y) :- p(?x, ?y)'));
    await run(store, rulesOf('R: h1(?x, ?y) :- p(?x, ?y)'), { graph: 'urn:g1' });
    assert.deepEqual(lines(await explain(store, 'a h b')).slice(1), ['  a p b']);
    assert.deepEqual(lines(await explain(store, 'a h1 b')), ['a h1 b in urn:g1#inferred by rule R', '  a p b']);
    const prefixed = (text: string): string => text.replace('rule:id', `rule:prefix "${EX}" ; rule:id`);
    await store.loadShapes('rules', prefixed(rulesOf('R: h(?x, ?y) :- q(?x, ?y)')));
    assert.deepEqual(lines(await explain(store, 'a h b')).slice(1), ['  a q b'], 'the stored rule counts');
    const other = await explain(store, 'a h1 b');
    assert.ok(other.derivation?.kind === 'rule');
    assert.deepEqual(
      [other.derivation.rule, other.derivation.support],
      ['R', []],
      'the rule as it is gives another head',
    );
    await store.loadShapes('rules', prefixed(rulesOf('S: s(?x, ?y) :- p(?x, ?y)')));
    await run(store, undefined);
    assert.deepEqual(lines(await explain(store, 'a s b')).slice(1), ['  a p b']);
    await store.removeShapes('rules');
    const missing = await explain(store, 'a s b');
    assert.deepEqual(missing.derivation, { kind: 'rule', rule: 'S', ruleMissing: true, support: [] });
  },
);

onBothStores('where it looks: ROOT, its companion, graphs by IRI; no overlay, no quarantine', async (store) => {
  await store.createOverlay('urn:o1');
  await store.writeOverlay('urn:o1', { op: 'assert', subject: `${EX}a`, predicate: `${EX}p`, object: `${EX}b` });
  assert.equal((await explain(store, 'a p b')).found, false);
  await knot(store, 'ex:a ex:p ex:b .', { graph: 'urn:g2' });
  assert.equal((await explain(store, 'a p b')).graph, 'urn:g2');
  await knot(store, 'ex:a ex:p ex:b .', { graph: 'urn:g1' });
  assert.equal((await explain(store, 'a p b')).graph, 'urn:g1');
  await knot(store, 'ex:a ex:k ex:b .');
  await run(store, rulesOf('K: p(?x, ?y) :- k(?x, ?y)'));
  assert.equal((await explain(store, 'a p b')).graph, 'urn:svc:graph:root#inferred');
  await knot(store, 'ex:a ex:p ex:b .');
  assert.equal((await explain(store, 'a p b')).graph, 'urn:svc:graph:root');
});

onBothStores('a literal is found by its text when one fact has it, whatever its datatype', async (store) => {
  await knot(store, 'ex:a ex:p 5 ; ex:q 5, "5" ; ex:r "5"@en, "5"^^ex:t ; ex:u "http://ex/b" .');
  await run(store, rulesOf('R: h(?x, ?y) :- p(?x, ?y)'));
  const found = await explain(store, 'a h "5"');
  assert.deepEqual(lines(found), ['a h "5" in ROOT#inferred by rule R', '  a p "5"']);
  assert.ok(found.fact.o.termType === 'Literal' && found.fact.o.datatype.value.endsWith('#integer'));
  const text = await explain(store, 'a q "5"');
  assert.ok(
    text.fact.o.termType === 'Literal' && text.fact.o.datatype.value.endsWith('#string'),
    'a string comes first',
  );
  assert.equal((await explain(store, 'a r "5"')).found, false, 'two facts have the text');
  const term = terms.literal('5', 'en');
  assert.equal((await store.explainFact({ s: `${EX}a`, p: `${EX}r`, o: term })).found, true);
  const other = terms.literal('5', 'de');
  assert.equal((await store.explainFact({ s: `${EX}a`, p: `${EX}p`, o: other })).found, false, 'a term is that term');
  assert.equal((await explain(store, 'a u b')).found, false, 'an absolute IRI is an IRI');
});

onBothStores('blank nodes are named by their labels', async (store) => {
  await knot(store, 'ex:a ex:p [] .');
  await run(store, rulesOf('R: h(?y, ?x) :- p(?x, ?y)'));
  let label = '';
  for await (const { object } of store.match(terms.namedNode(`${EX}a`))) label = `_:${object.value}`;
  const found = await store.explainFact({ s: label, p: `${EX}h`, o: `${EX}a` });
  assert.ok(found.derivation?.kind === 'rule');
  assert.equal(found.derivation.support[0]?.fact.o.value, label.slice(2));
  assert.equal((await store.explainFact({ s: `${EX}a`, p: `${EX}p`, o: label })).found, true);
});

onBothStores('who may read some graphs only is not told why, instead of being told that all is base', async (store) => {
  await knot(store, 'ex:a ex:p ex:b .');
  await run(store, rulesOf('R: q(?x, ?y) :- p(?x, ?y)'));
  const narrowed = store.as({ authenticated: null, readable: [ROOT, `${ROOT}#inferred`] });
  assert.equal(await narrowed.ask(`ASK { GRAPH <${ROOT}#inferred> { ?s ?p ?o } }`), true, 'the fact itself is read');
  const denied = { code: 'authority_denied', message: /why a fact stands .* some graphs only/ };
  for (const fact of ['a q b', 'a p b', 'a none b']) await assert.rejects(explain(narrowed, fact), denied, fact);
  const everything = store.as({ authenticated: null, readable: null });
  assert.equal((await explain(everything, 'a q b')).source, 'reasoner:R');
});

onBothStores('what can be no fact is refused by name', async (store) => {
  const ok = { s: `${EX}a`, p: `${EX}p`, o: 'x' };
  await assert.rejects(store.explainFact({ ...ok, s: 'a b' }), { code: 'invalid_request', message: /^s: / });
  await assert.rejects(store.explainFact({ ...ok, p: '_:b' }), { code: 'invalid_request', message: /^p: / });
  for (const depth of [-1, 1.5, 101]) {
    await assert.rejects(store.explainFact(ok, { depth }), {
      code: 'invalid_request',
      message: /depth is .* 0 to 100/,
    });
  }
  assert.equal(store.transactions().length, 0, 'nothing is written');
});

test('an explanation stops when it is cancelled, and at its memory', async () => {
  const store = await openStore(':memory:');
  const many = Array.from({ length: 4200 }, (_, at) => `ex:a ex:p ex:m${at} . ex:m${at} ex:q ex:n .`).join('\n');
  await store.load({ text: PROLOGUE + many, format: 'turtle' });
  await knot(store, 'ex:m7 ex:r ex:z .');
  await run(store, rulesOf('R: h(?x, ?z) :- p(?x, ?y), q(?y, ?n), r(?y, ?z)'));
  assert.deepEqual(lines(await explain(store, 'a h z')).slice(1), ['  a p m7', '  m7 q n', '  m7 r z']);
  await assert.rejects(explain(store, 'a h z', { signal: AbortSignal.abort() }), { code: 'aborted' });
  await retract(store, 'ex:m7 ex:r ex:z .');
  const stopped = { words: new Int32Array([1]), at: 0 };
  await assert.rejects(explain(store, 'a h z', { flag: stopped }), { code: 'aborted' });
  await run(store, rulesOf('S: g(?x, ?z) :- p(?x, ?y), q(?y, ?z)'));
  await assert.rejects(explain(store, 'a g n', { memoryBytes: 1 }), { code: 'query_complexity', message: /MiB/ });
  assert.deepEqual(lines(await explain(store, 'a g n')).slice(1), ['  a p m0', '  m0 q n']);
  await retract(store, 'ex:m0 ex:q ex:n .');
  await knot(store, 'ex:n ex:k ex:z .');
  await run(store, rulesOf('T: t(?x, ?z) :- p(?x, ?y), q(?y, ?w), k(?w, ?z)'));
  // The first of the long list leads nowhere, and the next is the next by its text.
  assert.deepEqual(lines(await explain(store, 'a t z')).slice(1), ['  a p m1', '  m1 q n', '  n k z']);
  await store.close();
});
