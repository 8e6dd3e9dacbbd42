/** Shapes that look at the same things share the work: what is looked up for a write does not grow with how many there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readShapes } from '../../engine/graphs/shapes/read-shapes.js';
import { terms } from '../../engine/rdf/terms.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { judgeChange } from '../../engine/validate/changes/judge-change.js';
import { compileShapes } from '../../engine/validate/shapes/compile-shapes.js';
import { dependenciesOf } from '../../engine/validate/shapes/dependencies.js';
import type { Shapes } from '../../engine/validate/shapes/shapes.js';

const PREFIXES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix e: <http://e/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n`;
const node = (name: string) => terms.namedNode(`http://e/${name}`);
const TYPE = terms.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');

interface Lookups {
  probes: number;
  begins: number;
  encoded: number;
}

/** Counts the lookups of a snapshot. */
function counted(snapshot: StorageSnapshot, lookups: Lookups): StorageSnapshot {
  return new Proxy(snapshot, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'encode') lookups.encoded++;
      if (name !== 'probe') return value.bind(target);
      return (request: Parameters<StorageSnapshot['probe']>[0]) => {
        lookups.probes++;
        const cursor = target.probe(request);
        const begin = cursor.begin.bind(cursor);
        cursor.begin = (keys, count) => {
          lookups.begins++;
          begin(keys, count);
        };
        return cursor;
      };
    },
  });
}

async function shapesOf(text: string): Promise<Shapes> {
  return compileShapes((await readShapes(PREFIXES + text, 'shapes', 's')).quads);
}

/** What is looked up to judge a new person among some, and how many results there are. */
async function lookupsOf(shapes: Shapes, name = 'new'): Promise<Lookups & { readonly results: number }> {
  const engine = openMemoryEngine({ now: () => 0 });
  const first = engine.stage({});
  for (let at = 0; at < 20; at++) {
    first.assert([
      terms.quad(node(`p${at}`), TYPE, node(`C${at}`)),
      terms.quad(node(`p${at}`), node('name'), terms.literal(`n${at}`)),
    ]);
  }
  await first.commit({}).durable;
  const stage = engine.stage({});
  stage.assert([
    terms.quad(node('new'), TYPE, node('C3')),
    terms.quad(node('new'), node('name'), terms.literal(name)),
    terms.quad(node('new'), node('boss'), node('p13')),
  ]);
  const lookups = { probes: 0, begins: 0, encoded: 0 };
  const [before, after] = [counted(engine.snapshot(), lookups), counted(stage.snapshot(), lookups)];
  const rows = () => after.changes(after.tx);
  const judgement = await judgeChange(shapes, { before: { snapshot: before }, after: { snapshot: after }, rows }, {});
  const results = judgement?.results.count ?? 0;
  judgement?.results.view.close();
  return { ...lookups, results };
}

const CONTENT = `sh:property [ sh:path e:name ; sh:minCount 1 ; sh:maxCount 1 ; sh:datatype xsd:string ; sh:pattern "^n" ] ,
  [ sh:path e:boss ; sh:class e:C13 ; sh:node [ sh:property [ sh:path e:name ; sh:minCount 1 ] ] ] ,
  [ sh:path e:name ; sh:or ( [ sh:datatype xsd:string ] [ sh:datatype xsd:integer ] ) ]`;

/** Shapes of a class each, of which none is like another. */
function shapesText(count: number, target: (at: number) => string): string {
  return Array.from(
    { length: count },
    (_, at) =>
      `e:S${at} a sh:NodeShape ; ${target(at)} ; ${CONTENT} , [ sh:path e:name ; sh:maxLength ${1000 + at} ] .`,
  ).join('\n');
}

test('fifty shapes of one target look up what one of them does', async () => {
  const one = await lookupsOf(await shapesOf(shapesText(1, () => 'sh:targetClass e:C3')));
  const fifty = await lookupsOf(await shapesOf(shapesText(50, () => 'sh:targetClass e:C3')));
  assert.deepEqual([one.results, fifty.results], [0, 0]);
  assert.ok(one.begins > 0);
  assert.deepEqual([fifty.probes, fifty.begins], [one.probes, one.begins]);
});

test('of thousands of shapes those of other classes, nodes and predicates cost nothing', async () => {
  const few = await lookupsOf(await shapesOf(shapesText(4, (at) => `sh:targetClass e:C${at}`)));
  const target = (at: number): string => {
    const kinds = ['sh:targetClass e:C', 'sh:targetNode e:n', 'sh:targetSubjectsOf e:q'];
    return at < 4 ? `sh:targetClass e:C${at}` : `${kinds[at % 3]}${at}`;
  };
  const many = await lookupsOf(await shapesOf(shapesText(3000, target)));
  assert.equal(many.results, 0);
  assert.ok(many.probes <= few.probes + 2, `${many.probes} probes, ${few.probes} with few shapes`);
  assert.ok(many.begins <= few.begins + 2, `${many.begins} lookups, ${few.begins} with few shapes`);
  assert.ok(many.encoded <= few.encoded + 5, `${many.encoded} terms, ${few.encoded} with few shapes`);
});

test('shapes that say the same tell their results each', async () => {
  const same = Array.from(
    { length: 30 },
    (_, at) => `e:S${at} a sh:NodeShape ; sh:targetClass e:C3 ; ${CONTENT} .`,
  ).join('\n');
  const shapes = await shapesOf(same);
  assert.equal(new Set(shapes.targeted.map(({ key }) => key)).size, 1);
  assert.equal((await lookupsOf(shapes, 'other')).results, 30);
});

test('what shapes rest on stands once in the tree, whatever the number of shapes', async () => {
  const shapes = await shapesOf(shapesText(500, (at) => `sh:targetClass e:C${at}`));
  const { root, beside } = dependenciesOf(shapes);
  assert.equal(beside.length, 0);
  assert.deepEqual([...root.inner.keys()].sort(), ['http://e/boss', 'http://e/name']);
  assert.deepEqual([...(root.inner.get('http://e/boss')?.inner.keys() ?? [])], ['http://e/name']);
});

test('nested shapes that many refer to do not unfold', async () => {
  const levels = Array.from(
    { length: 60 },
    (_, at) =>
      `e:L${at} a sh:NodeShape ; sh:property [ sh:path e:a ; sh:node e:L${at + 1} ] , [ sh:path e:b ; sh:node e:L${at + 1} ] .`,
  ).join('\n');
  const last = 'e:L60 a sh:NodeShape ; sh:class e:C3 . e:L0 sh:targetSubjectsOf e:name .';
  const shapes = await shapesOf(levels + last);
  assert.equal(dependenciesOf(shapes).beside.length, 1);
  assert.equal((await lookupsOf(shapes)).results, 0);
});
