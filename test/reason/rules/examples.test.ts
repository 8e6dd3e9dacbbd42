/** The worked examples of the rule language (semantics of reasoning, 1.11; semantics of graphs, NG-2). */
import assert from 'node:assert/strict';
import { onBothStores } from '../../service/time-support.js';
import { ask, counts, EX, factsOf, knot, PROLOGUE, ROOT, retract, rulesOf, run } from './support.js';

const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';
const BOTH = `FROM <${ROOT}> FROM <${ROOT}#inferred>`;

onBothStores('EX-1.1 join; NG-2 what follows is read with the companion only', async (store) => {
  await knot(store, 'ex:nginx ex:installedIn ex:ctA . ex:ctA ex:runs ex:s1, ex:s2 .');
  const rules = rulesOf('R1: affects(?p, ?s) :- installedIn(?p, ?c), runs(?c, ?s)');
  const first = await run(store, rules);
  assert.deepEqual(counts(first), { asserted: 2, retracted: 0, strata: 1, perRule: ['R1 2'] });
  assert.equal(first.rules, 1);
  assert.equal(await ask(store, 'ASK { ex:nginx ex:affects ex:s1 }'), false);
  assert.equal(await ask(store, `ASK ${BOTH} { ex:nginx ex:affects ex:s1 }`), true);
  const before = store.transactions().length;
  assert.deepEqual(counts(await run(store, rules)), { asserted: 0, retracted: 0, strata: 1, perRule: ['R1 0'] });
  assert.equal(store.transactions().length, before, 'nothing changes, nothing is written');
  const last = store.transactions().at(-1);
  assert.deepEqual([last?.source, last?.actor], ['reasoner:R1', 'reasoner']);
});

onBothStores('EX-1.2 recursion', async (store) => {
  await knot(store, 'ex:a ex:dep ex:b . ex:b ex:dep ex:c . ex:c ex:dep ex:d .');
  const { asserted } = await run(store, rulesOf('R: dep(?x, ?z) :- dep(?x, ?y), dep(?y, ?z)'));
  assert.equal(asserted, 3);
  assert.deepEqual(await factsOf(store), ['a dep c', 'a dep d', 'b dep d']);
});

onBothStores('EX-1.3 negation', async (store) => {
  await knot(store, 'ex:p1 ex:affects ex:s1 . ex:p2 ex:affects ex:s2 . ex:p2 ex:validated ex:s2 .');
  const rules = rulesOf('N: atRisk(?p, ?s) :- affects(?p, ?s), not validated(?p, ?s)');
  assert.equal((await run(store, rules)).asserted, 1);
  assert.deepEqual(await factsOf(store), ['p1 atRisk s1']);
  await knot(store, 'ex:p1 ex:validated ex:s1 .');
  const { asserted, retracted } = await run(store, rules);
  assert.deepEqual([asserted, retracted], [0, 1]);
  assert.deepEqual(await factsOf(store), []);
});

onBothStores('EX-1.4 strata', async (store) => {
  const chain = rulesOf('A: h1(?x, ?y) :- p(?x, ?y)', 'B: h2(?x, ?y) :- h1(?x, ?y)', 'C: h3(?x, ?y) :- h2(?x, ?y)');
  assert.equal((await run(store, chain)).strata, 3);
  const negation = rulesOf('A: q(?x, ?y) :- p(?x, ?y), not h1(?x, ?y)', 'B: h1(?x, ?y) :- k(?x, ?y)');
  assert.equal((await run(store, negation)).strata, 2);
  const apart = rulesOf('A: t(?x, ?z) :- t(?x, ?y), t(?y, ?z)', 'B: u(?x, ?z) :- u(?x, ?y), u(?y, ?z)');
  assert.equal((await run(store, apart)).strata, 1, 'two independent recursions are one level');
});

onBothStores('EX-1.5 refusals name the rule, and nothing is written', async (store) => {
  await knot(store, 'ex:a ex:p ex:b .');
  const before = store.transactions().length;
  const refused: readonly (readonly [rules: string, message: RegExp])[] = [
    [rulesOf('A: h(?x, ?z) :- p(?x, ?y)'), /'A'.*\?z of the head/],
    [rulesOf('A: h(?x, ?y) :- p(?x, ?y), not q(?x, ?w)'), /'A'.*\?w of the atom/],
    [rulesOf('A: p(?x, ?y) :- q(?x, ?y), not p(?x, ?y)'), /cycle \["http:\/\/ex\/p"\]/],
    [
      rulesOf('A: p(?x, ?y) :- q(?x, ?y), not s(?x, ?y)', 'B: s(?x, ?y) :- q(?x, ?y), not p(?x, ?y)'),
      /cycle \["http:\/\/ex\/p","http:\/\/ex\/s"\]/,
    ],
    [rulesOf('A: h(?x, ?y) :- p ?x, ?y'), /'A'.*rule:body.*no '\('/],
    [rulesOf('A: h(?x, ?y) :- p(?x, ?y'), /'A'.*rule:body.*no closing '\)'/],
    [rulesOf('A: (?x, ?y) :- p(?x, ?y)'), /'A'.*rule:head.*empty predicate/],
    [rulesOf('A: h(?x, ) :- p(?x, ?y)'), /'A'.*rule:head.*empty argument/],
    [rulesOf('A: h(?x, ?) :- p(?x, ?y)'), /'A'.*rule:head.*'\?' without a name/],
    [rulesOf('A: h(?x, ?y) :- , ,'), /'A'.*rule:body.*empty body/],
    [rulesOf('A: h(?x) :- p(?x, ?y)'), /'A'.*'h\(\?x\)' has 1 arguments/],
    [rulesOf('A: h(?x, ?y) :- not p(?x, ?y)'), /'A'.*no positive atom/],
    [rulesOf('A: h(?x, ?y) :- q:p(?x, ?y)'), /'A'.*prefix 'q:'.*not declared/],
    [`${PROLOGUE}r:a a rule:Rule ; rule:id "A" ; rule:body "p(?x, ?y)" .`, /'A'.*rule:head is missing/],
    [`${PROLOGUE}r:a a rule:Rule ; rule:id "A" ; rule:head "h(?x, ?y)" .`, /'A'.*rule:body is missing/],
    [
      `${PROLOGUE}r:a a rule:Rule ; rule:head "h(?x, ?y)", "i(?x, ?y)" ; rule:body "p(?x, ?y)" .`,
      /rules\/a.*two values of rule:head/,
    ],
    [
      `${PROLOGUE}r:a a rule:Rule ; rule:id "A" ; rule:head "h(?x, ?y)" ; rule:body "p(?x, ?y)" .
       r:b a rule:Rule ; rule:id "A" ; rule:head "i(?x, ?y)" ; rule:body "p(?x, ?y)" .`,
      /id 'A'.*rules\/a.*rules\/b/,
    ],
    ['no Turtle', /rule Turtle parse error/],
  ];
  for (const [rules, message] of refused) await assert.rejects(run(store, rules), { message }, rules);
  assert.equal(store.transactions().length, before);
});

onBothStores('EX-1.6 rules that support each other', async (store) => {
  await knot(store, 'ex:c1 a ex:A .');
  const rules = rulesOf(
    `F: ${TYPE}(?x, <${EX}B>) :- ${TYPE}(?x, <${EX}A>)`,
    `G: ${TYPE}(?x, <${EX}A>) :- ${TYPE}(?x, <${EX}B>)`,
  );
  assert.deepEqual(counts(await run(store, rules)).perRule, ['F 1', 'G 0']);
  await retract(store, 'ex:c1 a ex:A .');
  const { asserted, retracted } = await run(store, rules);
  assert.deepEqual([asserted, retracted, await factsOf(store)], [0, 1, []]);
});

onBothStores('EX-1.7 two supports: the fact changes its owner and stands throughout', async (store) => {
  await knot(store, 'ex:a ex:p ex:b . ex:a ex:q ex:b .');
  const rules = rulesOf('R1: h(?x, ?y) :- p(?x, ?y)', 'R2: h(?x, ?y) :- q(?x, ?y)');
  assert.deepEqual(counts(await run(store, rules)).perRule, ['R1 1', 'R2 0']);
  await retract(store, 'ex:a ex:p ex:b .');
  const changed = await run(store, rules);
  assert.deepEqual(counts(changed), { asserted: 1, retracted: 1, strata: 1, perRule: ['R1 0', 'R2 1'] });
  assert.deepEqual(await factsOf(store), ['a h b']);
  // And back: R2 goes on to derive it, and keeps it, until it does not.
  await knot(store, 'ex:a ex:p ex:b .');
  assert.deepEqual(counts(await run(store, rules)).perRule, ['R1 0', 'R2 0']);
  await retract(store, 'ex:a ex:q ex:b .');
  assert.deepEqual(counts(await run(store, rules)).perRule, ['R1 1', 'R2 0']);
  assert.deepEqual(await factsOf(store), ['a h b'], 'the rule that takes it over runs before the one that loses it');
});

onBothStores('EX-1.8 a constant in the body filters', async (store) => {
  await knot(store, 'ex:x a ex:Commit . ex:y a ex:File .');
  const rule = (from: string): string => rulesOf(`C: ${TYPE}(?s, <${EX}GitCommit>) :- ${TYPE}(?s, <${EX}${from}>)`);
  assert.equal((await run(store, rule('Commit'))).asserted, 1);
  assert.deepEqual(await factsOf(store), ['x type GitCommit']);
  const { asserted, retracted } = await run(store, rule('Nobody'));
  assert.deepEqual([asserted, retracted], [0, 1], 'a class that nobody uses matches nothing');
});

onBothStores('EX-1.9 a graph has its own premises and its own companion', async (store) => {
  const rules = rulesOf('P: q(?x, ?y) :- p(?x, ?y)');
  await knot(store, 'ex:a ex:p ex:b .');
  await knot(store, 'ex:c ex:p ex:d .', { graph: 'urn:g1' });
  await run(store, rules);
  const { asserted, graph, inferredGraph } = await run(store, rules, { graph: 'urn:g1' });
  assert.deepEqual([asserted, graph, inferredGraph], [1, 'urn:g1', 'urn:g1#inferred']);
  assert.deepEqual(await factsOf(store, 'urn:g1#inferred'), ['c q d']);
  assert.deepEqual(await factsOf(store), ['a q b']);
});
