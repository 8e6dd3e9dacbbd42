/** The same results as another validator on random shapes and data; and what a validation may not look at. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Store } from 'n3';
import SHACLValidator from 'rdf-validate-shacl';
import { SvcError } from '../../engine/base/errors.js';
import { type Quad, type Term, terms } from '../../engine/rdf/terms.js';
import { readSources } from '../../engine/storage/documents/read-sources.js';
import { termText } from '../../engine/validate/messages.js';
import { payloadSnapshot } from '../../engine/validate/payload.js';
import { pathText, readPath } from '../../engine/validate/shapes/path.js';
import { ShapesGraph } from '../../engine/validate/shapes/shapes-graph.js';
import { validate } from '../../engine/validate/validate.js';
import { pathTo, shapesGraph, triples } from './random-shapes.js';
import { report, shapesOf, turtle } from './support.js';

async function datasetOf(text: string) {
  const { quads } = await readSources([turtle(text)], { blankNodeScope: 'store' }, {});
  const bare = quads.map(({ subject, predicate, object }) => terms.quad(subject, predicate, object));
  return new Store(bare as unknown as never[]);
}

const local = (iri: string): string => iri.slice(iri.lastIndexOf('#') + 1);

async function theirs(shapes: string, data: string): Promise<string[]> {
  const validator = new SHACLValidator(await datasetOf(shapes));
  const { results, dataset } = await validator.validate(await datasetOf(data));
  const graph = new ShapesGraph([...dataset] as unknown as Quad[]);
  return results.map(({ focusNode, path, value, sourceConstraintComponent }) => {
    const shown = path == null ? null : pathText(readPath(graph, path as Term, path as Term));
    const text = value == null ? null : termText(value as Term);
    return `${termText(focusNode as Term)} ${shown} ${local(sourceConstraintComponent.value)} ${text}`;
  });
}

async function ours(shapes: string, data: string): Promise<string[]> {
  const { violations } = await report(shapes, data);
  return violations.map(({ focus_node, path, component, value }) => `${focus_node} ${path} ${component} ${value}`);
}

/** A class that may be below itself, on which the other validator does not end. (Ill-typed literals it compares all the same.) */
function isCircular(one: string): boolean {
  const [lower, upper] = one.split(' rdfs:subClassOf ');
  return upper !== undefined && (lower as string) <= upper;
}

/** Known where the other validator is wrong and no filter tells: a literal under `sh:closed` inside of `sh:and`, once in 2,000 cases. */
const SEED = Number(process.env.SVC_SHACL_SEED ?? 20261122);

const once = (lines: readonly string[]): string[] => [...new Set(lines)].sort();

test('random shapes without recursion: the same results as rdf-validate-shacl', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(shapesGraph({ recursive: false, paths: pathTo(1, false) }), triples, async (shapes, some) => {
      // The other validator lets a text with a language be at most itself; to SPARQL, by which SHACL compares, that is an error.
      const comparesTexts = shapes.includes('sh:lessThanOrEquals');
      const data = some
        .filter((one) => !isCircular(one) && !one.includes('"abc"^^') && !(comparesTexts && one.includes('@en')))
        .map((one) => `${one} .`)
        .join('\n');
      const mine = await ours(shapes, data).catch((error: unknown) => {
        if (error instanceof SvcError) return null;
        throw error;
      });
      fc.pre(mine !== null);
      const wanted = once(await theirs(shapes, data));
      assert.equal(once(mine as string[]).join('\n'), wanted.join('\n'));
      found += wanted.length;
    }),
    { numRuns: 60, seed: SEED },
  );
  assert.ok(found > 60, `only ${found} results`);
});

test('each distinct value is decoded once, and only where its id does not tell', async () => {
  const people = Array.from(
    { length: 1000 },
    (_, at) =>
      `:p${at} a :Person ; :name "Name ${at % 50}" ; :age ${at % 90} ; :status "s${at % 2}" ; :boss :p${at % 7} .`,
  );
  const snapshot = await payloadSnapshot([turtle(people.join('\n'))], {});
  const decodedBy = async (property: string): Promise<number> => {
    const shapes = await shapesOf(`:S a sh:NodeShape ; sh:targetClass :Person ; sh:property [ ${property} ] .`);
    const before = snapshot.counters.termsDecoded;
    const results = await validate(shapes, { snapshot }, null, {});
    results.view.close();
    assert.equal(results.count, 0);
    return snapshot.counters.termsDecoded - before;
  };
  assert.equal(await decodedBy('sh:path :name ; sh:minCount 1 ; sh:maxCount 1 ; sh:datatype xsd:string'), 0);
  assert.equal(await decodedBy('sh:path :age ; sh:datatype xsd:integer ; sh:minInclusive 0 ; sh:maxExclusive 90'), 0);
  assert.equal(await decodedBy('sh:path :status ; sh:in ( "s0" "s1" )'), 0);
  assert.equal(await decodedBy('sh:path :boss ; sh:class :Person ; sh:nodeKind sh:IRI'), 0);
  assert.equal(await decodedBy('sh:path :name ; sh:pattern "^Name [0-9]+$"'), 50);
});
