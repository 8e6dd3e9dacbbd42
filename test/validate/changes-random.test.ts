/** Judging a change at the nodes that it can alter says what judging everything before and after says. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SvcError } from '../../engine/base/errors.js';
import type { Quad } from '../../engine/rdf/terms.js';
import { readSources } from '../../engine/storage/documents/read-sources.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { judgeChange, newResults } from '../../engine/validate/changes/judge-change.js';
import { TermNames } from '../../engine/validate/data/term-names.js';
import type { RawResult, Results } from '../../engine/validate/evaluate/results.js';
import { termText } from '../../engine/validate/messages.js';
import { findingsOf } from '../../engine/validate/report.js';
import type { Shapes } from '../../engine/validate/shapes/shapes.js';
import { validate } from '../../engine/validate/validate.js';
import { pathTo, shapesGraph, triples } from './random-shapes.js';
import { shapesOf, turtle } from './support.js';

async function quadsOf(some: readonly string[], graph: string): Promise<readonly Quad[]> {
  return (await readSources([turtle(some.map((one) => `${one} .`).join('\n'))], { graph }, {})).quads;
}

function lines(results: Results, some: Iterable<RawResult>): string[] {
  return findingsOf(results, some).map(
    ({ focus, path, component, value, raw }) =>
      `${termText(focus)} ${path} ${component} ${value === null ? '-' : termText(value)} ${raw.count}`,
  );
}

async function judged(
  shapes: Shapes,
  before: StorageSnapshot,
  after: StorageSnapshot,
  graph: string,
): Promise<Record<'focused' | 'whole' | 'old', string[]>> {
  const rows = () => after.changes(after.tx);
  const change = { before: { snapshot: before, graph }, after: { snapshot: after, graph }, rows };
  const judgement = await judgeChange(shapes, change, {});
  const focused = judgement === null ? [] : lines(judgement.results, judgement.fresh);
  const names = new TermNames(after);
  const old = await validate(shapes, { snapshot: before, graph, names }, null, {});
  const now = await validate(shapes, { snapshot: after, graph, names }, null, {});
  return { focused, whole: lines(now, newResults(old, now)), old: lines(old, old) };
}

const choices = { recursive: true, paths: pathTo(1) };
const ROOT = 'urn:svc:graph:root';
const OTHER = 'http://example.org/other';

test('changes judged at their focus nodes and as a whole', async () => {
  let fresh = 0;
  await fc.assert(
    fc.asyncProperty(
      shapesGraph(choices),
      triples,
      triples,
      triples,
      fc.constantFrom(ROOT, OTHER),
      async (text, old, added, removed, graph) => {
        const shapes = await shapesOf(text).catch((error: unknown) => {
          // Recursion through a negation.
          if (error instanceof SvcError) return null;
          throw error;
        });
        fc.pre(shapes !== null);
        const engine = openMemoryEngine({ now: () => 0 });
        const first = engine.stage({});
        first.assert(await quadsOf(old, graph));
        // Types of ROOT count in the other graph.
        first.assert(await quadsOf([':e a :C', ':C rdfs:subClassOf :D'], ROOT));
        await first.commit({ recordEmpty: true }).durable;
        const stage = engine.stage({});
        stage.retract(await quadsOf([...removed, ...old.slice(0, 2)], graph));
        stage.assert(await quadsOf(added.slice(0, 4), graph));
        const {
          focused,
          whole,
          old: known,
        } = await judged(shapes as Shapes, engine.snapshot(), stage.snapshot(), graph);
        for (const one of whole) assert.ok(focused.includes(one), `${one} is missed`);
        // A value that broke a property shape before may be reached from a node that did not reach it before.
        for (const one of focused) assert.ok(whole.includes(one) || known.includes(one), `${one} is not new`);
        fresh += whole.length;
      },
    ),
    { numRuns: 120, seed: Number(process.env.SVC_SHACL_SEED ?? 20261122) },
  );
  assert.ok(fresh > 40, `only ${fresh} new results`);
});
