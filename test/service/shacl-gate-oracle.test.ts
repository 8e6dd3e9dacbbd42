/** The verdict of the gate on random writes is what validating every changed graph as a whole, before and after, comes to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readShapes } from '../../engine/graphs/shapes/read-shapes.js';
import { type Quad, ROOT_GRAPH_IRI, type Term, terms, XSD } from '../../engine/rdf/terms.js';
import { type Gate, GateRefusal } from '../../engine/service/gates/gates.js';
import { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import { loadShapes } from '../../engine/service/writes/shape-sets.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { findingsOf } from '../../engine/validate/report.js';
import { compileShapes } from '../../engine/validate/shapes/compile-shapes.js';
import type { Shapes } from '../../engine/validate/shapes/shapes.js';
import { validate } from '../../engine/validate/validate.js';
import { contextOf } from './write-support.js';

const EX = 'http://ex/';
const ex = (name: string) => terms.namedNode(EX + name);
const TYPE = terms.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');
const SUB_CLASS = terms.namedNode('http://www.w3.org/2000/01/rdf-schema#subClassOf');
const GRAPHS = [ROOT_GRAPH_IRI, `${EX}g`];

const SETS = [
  'ex:P a sh:NodeShape ; sh:targetClass ex:A ; sh:property [ sh:path ex:p ; sh:minCount 1 ; sh:maxCount 2 ] , [ sh:path ex:q ; sh:class ex:B ] .',
  'ex:Q a sh:NodeShape ; sh:targetObjectsOf ex:q ; sh:property [ sh:path ( [ sh:inversePath ex:q ] ex:p ) ; sh:minCount 1 ] , [ sh:path [ sh:oneOrMorePath ex:r ] ; sh:nodeKind sh:IRI ; sh:maxCount 2 ] .',
  'ex:R a sh:NodeShape ; sh:targetSubjectsOf ex:r ; sh:not [ sh:property [ sh:path ex:p ; sh:hasValue 3 ] ] ; sh:property [ sh:path ex:q ; sh:node ex:T ] . ex:T a sh:NodeShape ; sh:property [ sh:path ex:r ; sh:minCount 1 ] .',
  'ex:W a sh:NodeShape ; sh:targetClass ex:B ; sh:property [ sh:path ex:p ; sh:maxCount 1 ; sh:severity sh:Warning ] .',
].map((text) => `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <${EX}> .\n${text}`);

/** Of every violation in a graph how far it is from what would be right; 0 where nothing is counted. */
async function faults(shapes: Shapes, snapshot: StorageSnapshot, graph: string): Promise<Map<string, number>> {
  const results = await validate(shapes, { snapshot, graph }, null, {});
  const found = new Map<string, number>();
  for (const { raw, focus, component, path, value } of findingsOf(results)) {
    if (raw.shape.severity !== 'Violation') continue;
    const key = [focus.value, component, path, value?.value ?? null].join(' ');
    const { count, constraint } = raw;
    const distance = count === null || !('count' in constraint) ? 0 : Math.abs(count - constraint.count);
    found.set(key, Math.max(found.get(key) ?? 0, distance));
  }
  results.view.close();
  return found;
}

const node = fc.constantFrom('n0', 'n1', 'n2', 'n3').map(ex);
const type = fc.constantFrom('A', 'B', 'C').map(ex);
const integer = fc
  .integer({ min: 1, max: 3 })
  .map((value) => terms.literal(String(value), terms.namedNode(`${XSD}integer`)));
const fact = fc
  .tuple(
    fc.oneof(
      fc.tuple(node, fc.constant(TYPE), type),
      fc.tuple(node, fc.constantFrom('q', 'r').map(ex), node),
      fc.tuple(node, fc.constant(ex('p')), integer),
      fc.tuple(type, fc.constant(SUB_CLASS), type),
    ),
    fc.constantFrom(...GRAPHS, ROOT_GRAPH_IRI),
  )
  .map(([[s, p, o], g]) => terms.quad(s, p, o as Term as Quad['object'], terms.namedNode(g)));
const write = fc.record({ gone: fc.array(fact, { maxLength: 4 }), come: fc.array(fact, { maxLength: 4 }) });

test('the gate says of random writes what judging everything says', async () => {
  const documents = await Promise.all(SETS.map((text, at) => readShapes(text, 'shapes', `o${at}`)));
  const shapes = compileShapes(documents.flatMap(({ quads }) => quads));
  const tally = { accepted: 0, refused: 0 };
  const run = fc.asyncProperty(
    fc.array(fact, { maxLength: 20 }),
    fc.array(write, { maxLength: 4 }),
    async (data, writes) => {
      let expected: string[] = [];
      const oracle: Gate = {
        name: 'authority',
        judge: async ({ before, after }) => {
          expected = [];
          for (const graph of GRAPHS) {
            const [known, now] = [await faults(shapes, before, graph), await faults(shapes, after, graph)];
            const touched = [...after.changes(after.tx)].some(({ rows, columns: { g } }) => {
              const names = after.decode(g, rows);
              return names.some(({ value }) => value === graph);
            });
            if (!touched) continue;
            for (const [key, distance] of now) if (distance > (known.get(key) ?? -1)) expected.push(key);
          }
          return { kind: 'accepted', findings: [] };
        },
      };
      const engine = openMemoryEngine();
      const pipeline = new WritePipeline(engine, { gates: [oracle] });
      await pipeline.transact((stage) => stage.assert(data), {});
      const context = contextOf(engine, pipeline);
      for (const [at, turtle] of SETS.entries()) await loadShapes.run(context, { name: `s${at}`, turtle }, {});
      for (const { gone, come } of writes) {
        const told = await pipeline
          .transact((stage) => {
            stage.retract(gone);
            stage.assert(come);
          }, {})
          .then(() => [])
          .catch((error: unknown) => {
            if (!(error instanceof GateRefusal)) throw error;
            const violations = error.findings.filter(({ severity }) => severity === 'Violation');
            return violations.map((one) => [one.focusNode, one.component, one.path, one.value].join(' '));
          });
        assert.deepEqual([...new Set(told)].sort(), [...new Set(expected)].sort());
        if (told.length === 0) tally.accepted++;
        else tally.refused++;
      }
      await engine.close();
    },
  );
  await fc.assert(run, { numRuns: 120, seed: 5 });
  assert.ok(tally.accepted > 30 && tally.refused > 30, JSON.stringify(tally));
});
