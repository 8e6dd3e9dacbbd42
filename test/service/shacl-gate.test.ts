/** The SHACL gate on every way of writing: what is refused, what is let be, and what is told (semantics of reasoning, 4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GateRefusal } from '../../engine/service/gates/gates.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { body, type Json, openThreaded } from './reads-support.js';
import { EX, ex, onBothStores, T, trace } from './time-support.js';

const HEAD = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <${EX}> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix svc: <https://svc.dev/ontology/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n`;
const STATUS = 'sh:path ex:status ; sh:in ("active" "retired")';
/** The shapes of the examples of the specification. */
const S = `${HEAD}ex:PersonShape a sh:NodeShape ; sh:targetClass ex:Person ;
  sh:property [ sh:path ex:name ; sh:datatype xsd:string ; sh:minCount 1 ; sh:maxCount 1 ] ,
    [ ${STATUS} ] , [ sh:path ex:boss ; sh:class ex:Person ] .`;

const shapes = (store: Store, turtle: string, name = 's'): Promise<Json> =>
  body(store, 'shapes', { action: 'load', name, turtle });
const knot = (store: Store, turtle: string, more: object = {}): Promise<Json> =>
  body(store, 'knot', { turtle: HEAD + turtle, ...more });

interface Expected {
  readonly component: string;
  readonly focus: string;
  readonly path?: string;
}

/** That the write is refused by SHACL with these violations, and nothing of it is there. */
async function refused(store: Store, write: () => Promise<unknown>, ...expected: Expected[]): Promise<GateRefusal> {
  const before = await trace(store);
  let refusal: unknown;
  await assert.rejects(write, (error) => {
    refusal = error;
    return true;
  });
  assert.ok(refusal instanceof GateRefusal, String(refusal));
  assert.deepEqual([refusal.gate, refusal.code, refusal.httpStatus], ['shacl', 'refused_shacl', 400]);
  assert.deepEqual(
    refusal.findings
      .filter(({ severity }) => severity === 'Violation')
      .map(({ component, focusNode, path }) => [component, focusNode, path]),
    expected.map(({ component, focus, path }) => [
      `${component}ConstraintComponent`,
      EX + focus,
      path === undefined ? null : EX + path,
    ]),
  );
  assert.deepEqual(await trace(store), before, 'a refusal leaves no trace');
  return refusal;
}

const LISTS = { violations: [], warnings: [], infos: [] };

onBothStores('EX-4.4: values are found in the store, and who does not change is not judged', async (store) => {
  await knot(store, 'ex:bo a ex:Person ; ex:name "Bo" .');
  await shapes(store, S);
  const refusal = await refused(store, () => knot(store, 'ex:al a ex:Person ; ex:name "Al" ; ex:boss ex:rock .'), {
    component: 'Class',
    focus: 'al',
    path: 'boss',
  });
  const [violation] = refusal.findings;
  assert.equal(violation?.value, `${EX}rock`);
  const alternatives = (violation?.alternatives ?? []) as { kind: string; value: string }[];
  assert.ok(alternatives.some(({ kind, value }) => kind === 'entity' && value === `${EX}bo`));
  const answer = await knot(store, 'ex:al a ex:Person ; ex:name "Al" ; ex:boss ex:bo .');
  assert.deepEqual([answer.conforms, answer.new_facts, answer.warnings], [true, 3, []]);
});

onBothStores('EX-4.5: a warning is told with the answer and refuses nothing', async (store) => {
  await shapes(store, S.replace(STATUS, `${STATUS} ; sh:severity sh:Warning`));
  const answer = await knot(store, 'ex:al a ex:Person ; ex:name "Al" ; ex:status "actve" .');
  assert.equal(answer.conforms, true);
  assert.deepEqual([answer.violations, answer.infos], [[], []]);
  const [warning] = answer.warnings;
  assert.equal(answer.warnings.length, 1);
  assert.deepEqual(
    { ...warning, alternatives: warning.alternatives.map(({ value }: Json) => value), message: '' },
    {
      severity: 'Warning',
      focus_node: `${EX}al`,
      component: 'InConstraintComponent',
      path: `${EX}status`,
      value: 'actve',
      source_shape: `${EX}PersonShape`,
      message: '',
      alternatives: ['active', 'retired'],
    },
  );
});

onBothStores('EX-4.7: what is in the store counts, whatever the way of writing', async (store) => {
  await shapes(store, S);
  await knot(store, 'ex:al a ex:Person ; ex:name "Al" .');
  const name = { entity: `${EX}al`, predicate: `${EX}name` };
  const two = { component: 'MaxCount', focus: 'al', path: 'name' };
  await refused(store, () => knot(store, 'ex:al ex:name "Alan" .'), two);
  assert.deepEqual(await body(store, 'set', { ...name, value: 'Alan' }), {
    tx_id: 3,
    retracted: 1,
    asserted: 1,
    ...name,
    ...LISTS,
  });
  await refused(store, () => body(store, 'retract', name), { component: 'MinCount', focus: 'al', path: 'name' });
  const update = `INSERT DATA { <${EX}al> <${EX}status> "x" }`;
  await refused(store, () => body(store, 'update', { update }), { component: 'In', focus: 'al', path: 'status' });
});

onBothStores('EX-4.8: old faults stay, are repaired, and do not come back', async (store) => {
  await knot(store, 'ex:al a ex:Person .');
  await shapes(store, S);
  assert.equal((await knot(store, 'ex:al ex:status "active" .')).conforms, true);
  assert.equal((await knot(store, 'ex:al ex:name "Al" .')).conforms, true);
  const name = { entity: `${EX}al`, predicate: `${EX}name` };
  await refused(store, () => body(store, 'retract', name), { component: 'MinCount', focus: 'al', path: 'name' });
});

onBothStores('EX-4.9: a type that goes is missed by those who refer to it', async (store) => {
  await shapes(store, S);
  await knot(store, 'ex:al a ex:Person ; ex:name "Al" ; ex:boss ex:bo . ex:bo a ex:Person ; ex:name "Bo" .');
  const type = { entity: `${EX}bo`, predicate: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', allow_orphan: true };
  await refused(store, () => body(store, 'retract', type), { component: 'Class', focus: 'al', path: 'boss' });
});

const IS_PERSON = terms.quad(ex('x'), terms.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type'), ex('Person'));
const NAMELESS = { component: 'MinCount', focus: 'x', path: 'name' };

onBothStores('every way of writing is judged', async (store) => {
  await knot(store, 'ex:y a ex:Person ; ex:name "Y" .', { source: 'y' });
  await knot(store, 'ex:z a ex:Person ; ex:name "Z" .', { replace_snapshot: true, snapshot: 'k' });
  await shapes(store, S);
  const turtle = `${HEAD}ex:x a ex:Person .`;
  await refused(store, () => body(store, 'knot', { turtle }), NAMELESS);
  await refused(store, () => store.load({ text: turtle, format: 'turtle' }), NAMELESS);
  await refused(
    store,
    () =>
      store.load([
        { text: turtle, format: 'turtle' },
        { text: turtle, format: 'trig' },
      ]),
    NAMELESS,
  );
  await refused(store, () => body(store, 'knot', { turtle, replace_snapshot: true, snapshot: 'new' }), NAMELESS);
  await refused(store, () => store.transact({ assert: [IS_PERSON] }), NAMELESS);
  await refused(store, () => store.transact((draft) => void draft.assert([IS_PERSON])), NAMELESS);
  await refused(store, () => store.update(`INSERT DATA { <${EX}x> a <${EX}Person> }`), NAMELESS);
  await refused(store, () => store.update(`DELETE WHERE { <${EX}y> <${EX}name> ?n }`), { ...NAMELESS, focus: 'y' });
  await refused(store, () => store.retract(`${EX}y`, { predicate: `${EX}name` }), { ...NAMELESS, focus: 'y' });
  await refused(store, () => store.set(`${EX}y`, `${EX}name`, { int: 1 }), {
    component: 'Datatype',
    focus: 'y',
    path: 'name',
  });
  const documents = [{ kind: 'bytes', bytes: Buffer.from(turtle), name: 'x', format: 'turtle' }] as const;
  for (const method of ['put', 'post'] as const) {
    for (const graph of ['urn:svc:graph:root', `${EX}g`]) {
      await refused(store, () => store.writeGraph(method, graph, documents), NAMELESS);
    }
  }
  const episode = { name: 'e', nodes: [{ name: 'x', type: `<${EX}Person>` }] };
  await assert.rejects(body(store, 'episode', episode), (error: Json) => {
    assert.deepEqual([error.gate, error.findings[0].component], ['shacl', 'MinCountConstraintComponent']);
    return true;
  });
  // A whole entity may go, and a source, and a graph.
  assert.equal((await body(store, 'retract', { entity: `${EX}y` })).retracted, 2);
  const taken = await body(store, 'retract_source', { source: 'snapshot:k', repair: 'T-1', apply: true });
  assert.deepEqual([taken.retracted, taken.violations, taken.warnings, taken.infos], [2, [], [], []]);
});

onBothStores('shapes that come with a write judge it with the stored ones, and only it', async (store) => {
  await shapes(store, S);
  const aged = `${HEAD}ex:Aged a sh:NodeShape ; sh:targetClass ex:Person ; sh:property [ sh:path ex:age ; sh:minCount 1 ] .`;
  const turtle = 'ex:al a ex:Person ; ex:name "Al" .';
  await refused(store, () => knot(store, turtle, { shapes: aged }), {
    component: 'MinCount',
    focus: 'al',
    path: 'age',
  });
  await refused(
    store,
    () => knot(store, 'ex:al a ex:Person .', { shapes: aged }),
    { component: 'MinCount', focus: 'al', path: 'age' },
    { component: 'MinCount', focus: 'al', path: 'name' },
  );
  await assert.rejects(knot(store, turtle, { shapes: 'ex:A a sh:NodeShape .' }), { code: 'parse_error' });
  await assert.rejects(knot(store, turtle, { shapes: `${HEAD}ex:A sh:property ex:B ; sh:minCount 1 .` }), {
    code: 'invalid_request',
  });
  assert.equal((await knot(store, turtle)).conforms, true);
});

test('with validateOnWrite false stored shapes do not judge; those that come with a write do', async () => {
  const store = await openStore(':memory:', { validateOnWrite: false });
  await shapes(store, S);
  const answer = await knot(store, 'ex:al a ex:Person .');
  assert.deepEqual([answer.conforms, answer.new_facts], [true, 1]);
  assert.equal('warnings' in (await body(store, 'set', { entity: `${EX}al`, predicate: `${EX}p`, value: 'x' })), false);
  await refused(store, () => knot(store, 'ex:x a ex:Person .', { shapes: S }), NAMELESS);
  await store.close();
});

onBothStores('a graph is judged by itself, with the types of ROOT', async (store) => {
  await shapes(store, S);
  await knot(store, 'ex:al a ex:Person ; ex:name "Al" . ex:bo a ex:Person ; ex:name "Bo" .');
  await store.createGraph(`${EX}g`);
  // By ROOT he is a person in that graph as well, who had no name there before.
  assert.equal((await knot(store, 'ex:al ex:boss ex:bo .', { graph: `${EX}g` })).conforms, true);
  assert.equal((await knot(store, 'ex:al ex:name "Al" .', { graph: `${EX}g` })).conforms, true);
  await refused(store, () => knot(store, 'ex:al ex:name "Alan" .', { graph: `${EX}g` }), {
    component: 'MaxCount',
    focus: 'al',
    path: 'name',
  });
  await refused(store, () => knot(store, 'ex:al ex:boss ex:rock .', { graph: `${EX}g` }), {
    component: 'Class',
    focus: 'al',
    path: 'boss',
  });
});

onBothStores('a graph that is called by a blank node is judged as any other', async (store) => {
  await shapes(store, S);
  const text = `_:g { <${EX}x> a <${EX}Person> }`;
  await refused(store, () => store.load({ text, format: 'trig' }), NAMELESS);
  await store.load({ text: text.replace(' }', ` ; <${EX}name> "X" }`), format: 'trig' });
});

onBothStores('shapes that existing facts fail judge what is written from then on', async (store) => {
  const many = Array.from({ length: 50 }, (_, at) => `ex:n${at} a ex:Person .`).join('\n');
  await knot(store, many);
  await shapes(store, S);
  assert.equal((await knot(store, 'ex:n0 ex:boss ex:n1 .')).conforms, true);
  await refused(store, () => knot(store, 'ex:n0 ex:name "a", "b" .'), {
    component: 'MaxCount',
    focus: 'n0',
    path: 'name',
  });
  await refused(store, () => knot(store, 'ex:x a ex:Person .'), NAMELESS);
  assert.equal((await knot(store, 'ex:n0 ex:name "N" .')).conforms, true);
});

onBothStores('sets that are loaded, replaced and removed judge the very next write', async (store) => {
  const nameless = () => knot(store, 'ex:x a ex:Person .');
  await shapes(store, S);
  await refused(store, nameless, NAMELESS);
  await shapes(store, S.replaceAll('ex:name', 'ex:label'));
  await refused(store, nameless, { ...NAMELESS, path: 'label' });
  await shapes(store, S.replace('ex:PersonShape', 'ex:Other'), 't');
  await refused(store, nameless, { ...NAMELESS, path: 'label' }, NAMELESS);
  await body(store, 'shapes', { action: 'remove', name: 's' });
  await refused(store, nameless, NAMELESS);
  await body(store, 'shapes', { action: 'remove', name: 't' });
  assert.equal((await nameless()).conforms, true);
});

onBothStores('shapes that are not well-formed, by themselves or together, are not stored', async (store) => {
  await shapes(store, `${HEAD}ex:A a sh:NodeShape ; sh:property ex:P . ex:P sh:path ex:p ; sh:minCount 1 .`, 'a');
  const before = await trace(store);
  await assert.rejects(shapes(store, `${HEAD}ex:B a sh:NodeShape ; sh:minCount 1 .`, 'b'), { code: 'invalid_request' });
  await assert.rejects(shapes(store, `${HEAD}ex:P sh:path ex:q ; sh:minCount 2 .`, 'b'), (error: Json) => {
    assert.match(error.message, /^the sets of shapes 'a', 'b' do not fit together: .*ex.*P/);
    return error.code === 'invalid_request';
  });
  assert.deepEqual(await trace(store), before);
});

const eventsOf = async (store: Store, types: string): Promise<Json[]> =>
  (await body(store, 'events', { types })).events;

onBothStores('EX-4.6: a refusal is an event', async (store) => {
  await shapes(store, S);
  await refused(store, () => knot(store, 'ex:x a ex:Person .', { actor: 'ann', source: 'notes' }), NAMELESS);
  const [event, ...more] = await eventsOf(store, 'write.refused');
  assert.deepEqual(more, []);
  const { gate, graph, actor, source, reason, refused_datums: datums } = event.payload;
  assert.deepEqual([gate, graph, actor, source, datums], ['shacl', 'urn:svc:graph:root', 'ann', 'notes', 1]);
  assert.match(reason, /1 violation\(s\): http:\/\/example.org\/x: less than 1 value/);
});

onBothStores('shapes that only observe refuse nothing; what they see is an event of the write', async (store) => {
  await shapes(store, S.replace('a sh:NodeShape ;', 'a sh:NodeShape ; svc:onViolation "emit" ;'));
  const answer = await knot(store, 'ex:x a ex:Person .');
  assert.deepEqual([answer.conforms, answer.violations, answer.warnings], [true, [], []]);
  const seen = await eventsOf(store, 'shacl.violation');
  assert.deepEqual(
    seen.map(({ subject, tx_id: tx, payload }) => ({ subject, tx, payload })),
    [
      {
        subject: `${EX}x`,
        tx: answer.tx_id,
        payload: {
          graph: 'urn:svc:graph:root',
          shape: `${EX}PersonShape`,
          message: 'Less than 1 value',
          component: 'MinCountConstraintComponent',
          path: `${EX}name`,
          severity: 'Violation',
          mode: 'emit',
        },
      },
    ],
  );
  await body(store, 'set', { entity: `${EX}x`, predicate: `${EX}status`, value: 'active' });
  await body(store, 'set', { entity: `${EX}x`, predicate: `${EX}status`, value: 'gone' });
  assert.equal((await eventsOf(store, 'shacl.violation')).length, 2, 'what was wrong before is not told again');
  // Any other value than emit is a gate.
  await shapes(store, S.replace('a sh:NodeShape ;', 'a sh:NodeShape ; svc:onViolation "warn" ;'));
  await refused(store, () => knot(store, 'ex:z a ex:Person .'), { ...NAMELESS, focus: 'z' });
});

onBothStores('sets that are loaded and removed are events', async (store) => {
  await shapes(store, S, 'one');
  await body(store, 'shapes', { action: 'remove', name: 'one' });
  await body(store, 'shapes', { action: 'remove', name: 'none' });
  const told = await eventsOf(store, 'shapes.loaded,shapes.removed');
  assert.deepEqual(
    told.map(({ type, subject, payload }) => [type, subject, payload]),
    [
      ['shapes.loaded', 'one', { name: 'one', tx: 1 }],
      ['shapes.removed', 'one', { name: 'one', tx: 2 }],
    ],
  );
});

test('through the writer thread the gate stands as it does here', async () => {
  const store = await openThreaded();
  await shapes(store, S);
  const refusal = await refused(store, () => knot(store, 'ex:x a ex:Person .'), NAMELESS);
  assert.deepEqual((refusal.findings[0]?.alternatives ?? [])[0], { kind: 'path', value: `${EX}name` });
  assert.equal(refusal.message, `SHACL validation failed: 1 violation(s): ${EX}x: less than 1 value of ${EX}name`);
  assert.equal(refusal.hint, 'change what is written, or the stored shapes that refuse it');
  assert.deepEqual(
    await body(store, 'set', { entity: 'http://e/none', predicate: `${EX}p`, value: 'x' }).catch(() => 0),
    0,
  );
  await store.close();
});

test('a store that is opened again judges by the shapes that it has', async () => {
  const path = new StoreFolder().fresh();
  const first = await openStore(path);
  await shapes(first, S);
  await first.close();
  const second = await openStore(path);
  await refused(second, () => knot(second, 'ex:x a ex:Person .', { timestamp: T(5) }), NAMELESS);
  await second.close();
});
