/** A narrowed snapshot gives the rows of readable graphs and no other, whatever graph set it is asked for, in both engines. */

import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { NamedNode, Quad } from '../../engine/rdf/terms.js';
import type { TermId } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { NarrowedSnapshot } from '../../engine/storage/seam/narrowed-snapshot.js';
import { ScanProbe } from '../../engine/storage/seam/probe-by-scan.js';
import { idIn } from '../../engine/storage/seam/rows.js';
import { CURRENT, type GraphSet, type StorageSnapshot } from '../../engine/storage/seam/scan.js';
import {
  ALL,
  columnOf,
  exactly,
  found,
  idOf,
  load,
  node,
  ORDERS,
  quad,
  type Request,
  ROOT,
  SPOG,
  sampleQuads,
  show,
} from './scan-support.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-narrowed-'));
const ENGINES: readonly (readonly [string, () => Promise<StorageEngine>])[] = [
  ['LMDB', () => openLmdbEngine(join(folder, 'store.db'))],
  ['memory', async () => openMemoryEngine()],
];

const GRAPHS: readonly NamedNode[] = [ROOT, ...['g1', 'g2', 'g3', 'g4'].map(node)];
const CATALOG = node('catalog');
const READABLE: readonly (readonly NamedNode[])[] = [
  [ROOT, node('g2')],
  [node('g3'), node('g1')],
  [node('g4')],
  [node('none')],
  [],
];

const ascending = (ids: readonly TermId[]) => [...ids].sort((a, b) => (a < b ? -1 : 1));

function setsOf(snapshot: StorageSnapshot): (readonly [string, GraphSet, readonly NamedNode[]])[] {
  const id = (graph: NamedNode): TermId => idOf(snapshot, graph);
  const without = (...gone: readonly NamedNode[]) => GRAPHS.filter((one) => !gone.some((graph) => graph.equals(one)));
  const three = GRAPHS.slice(0, 3);
  return [
    ['all', ALL, GRAPHS],
    ['all but one', { kind: 'all', except: [id(node('g2'))] }, without(node('g2'))],
    ['named', { kind: 'named', except: [] }, without(ROOT)],
    ['named but one', { kind: 'named', except: [id(node('g1'))] }, without(ROOT, node('g1'))],
    ['some', { kind: 'some', graphs: ascending(three.map(id)), merged: false }, three],
    ['two layers', { kind: 'layers', layers: [ALL, { kind: 'one', graph: id(ROOT) }], merged: false }, GRAPHS],
    ['all at its own time', { kind: 'timed', graphs: { kind: 'named', except: [] }, time: CURRENT }, without(ROOT)],
    ...GRAPHS.map((graph) => [show(graph), { kind: 'one', graph: id(graph) }, [graph]] as const),
  ];
}

/** Rows as texts that end with the name of one of some graphs. */
function inGraphs(rows: readonly string[], graphs: readonly NamedNode[]): string[] {
  return rows.filter((row) => graphs.some((graph) => row.endsWith(` ${show(graph)}`)));
}

function probed(snapshot: Pick<StorageSnapshot, 'probe'>, graphs: GraphSet, keys: readonly TermId[]): string[] {
  const probe = snapshot.probe({ graphs, pattern: {}, order: 'SPOG', time: CURRENT, keys: ['s'], columns: SPOG });
  probe.begin([columnOf(keys)], keys.length);
  const rows: string[] = [];
  for (let batch = probe.next(); batch !== null; batch = probe.next()) {
    for (let row = 0; row < batch.rows; row++) {
      rows.push(SPOG.map((name) => String(batch.columns[name]?.subarray(2 * row, 2 * row + 2))).join(' '));
    }
  }
  probe.close();
  return rows;
}

for (const [name, open] of ENGINES) {
  test(name, async (t) => {
    const engine = await open();
    const about = GRAPHS.flatMap((graph) => [1, 2].map((n) => quad(graph, node('p0'), node(`s${n}`), CATALOG)));
    await load(engine, [...sampleQuads(7), ...about]);
    await load(engine, sampleQuads(8, 50));
    const behind = engine.snapshot();
    const catalogId = idOf(behind, CATALOG);
    const catalog: GraphSet = { kind: 'one', graph: catalogId };

    for (const readable of READABLE) {
      const graphs = ascending(readable.flatMap((graph) => behind.encode(graph) ?? []));
      const key = readable.map(show).join(' and ') || 'nothing';
      const narrow = new NarrowedSnapshot(behind, { graphs, catalog: catalogId, key });
      const mayRead = (graph: NamedNode) => readable.some((one) => one.equals(graph));

      await t.test(`${key}: scans, counts, estimates and probes`, () => {
        const patterns: readonly Request['pattern'][] = [
          {},
          { p: exactly(idOf(behind, node('p1'))) },
          { s: exactly(idOf(behind, node('s1'))), o: exactly(idOf(behind, node('o'))) },
        ];
        const keys = ascending([1, 2, 5].map((n) => idOf(behind, node(`s${n}`))));
        for (const [label, set, whole] of setsOf(behind)) {
          for (const pattern of patterns) {
            const wanted = inGraphs(found(behind, { pattern }), whole.filter(mayRead));
            for (const order of [undefined, ...ORDERS]) {
              assert.deepEqual(found(narrow, { pattern, graphs: set, order }), wanted, `${label} ${order}`);
            }
            const request = { pattern: pattern ?? {}, graphs: set, time: CURRENT };
            assert.equal(narrow.count(request), wanted.length, label);
            const { rows, exact } = narrow.estimate(request);
            assert.ok(exact ? rows === wanted.length : rows > 0, label);
          }
          const plain = {
            probe: (request: ConstructorParameters<typeof ScanProbe>[1]) => new ScanProbe(narrow, request),
          };
          assert.deepEqual(probed(narrow, set, keys), probed(plain, set, keys), label);
        }
        const merged: GraphSet = {
          kind: 'some',
          graphs: ascending(GRAPHS.map((one) => idOf(behind, one))),
          merged: true,
        };
        const triples = inGraphs(found(behind), readable).map((row) => row.replace(/ \S+$/, ''));
        assert.deepEqual(
          found(narrow, { graphs: merged }).map((row) => row.replace(/ \S+$/, '')),
          [...new Set(triples)].sort(),
        );
      });

      await t.test(`${key}: the catalog, the changes and the figures`, () => {
        const told = about.filter(({ subject }) => mayRead(subject as NamedNode)).length;
        assert.equal(found(narrow, { graphs: catalog }).length, told);
        assert.equal(narrow.count({ graphs: catalog, pattern: {}, time: CURRENT }), told);
        const subjects = ascending(GRAPHS.map((graph) => idOf(behind, graph)));
        assert.equal(probed(narrow, catalog, subjects).length, told);
        const one = { s: exactly(idOf(behind, ROOT)) };
        assert.equal(found(narrow, { graphs: catalog, pattern: one }).length, mayRead(ROOT) ? 2 : 0);
        assert.equal(
          found(narrow).some((row) => row.endsWith(` ${show(CATALOG)}`)),
          false,
        );

        const changed = [...narrow.changes(1)].flatMap(({ rows, columns }) => narrow.decode(columns.g, rows).map(show));
        const first = new Set(
          sampleQuads(7)
            .filter((it) => mayRead(graphOf(it)))
            .map((it) => JSON.stringify(it)),
        );
        assert.equal(changed.length, first.size);
        assert.ok(changed.every((graph) => readable.some((it) => show(it) === graph)));
        const ofCatalog = [...narrow.changes(1, catalogId)];
        const ids = ofCatalog.flatMap(({ rows, columns }) =>
          Array.from({ length: rows }, (_, at) => idIn(columns.s, at)),
        );
        assert.equal(ids.length, told);
        assert.ok(ids.every((id) => graphs.includes(id)));

        const names = narrow.graphs().map((id) =>
          narrow
            .decode(columnOf([id]), 1)
            .map(show)
            .join(),
        );
        assert.deepEqual(
          names.sort(),
          readable
            .map(show)
            .filter((it) => it !== show(node('none')))
            .sort(),
        );
        if (!mayRead(ROOT)) assert.equal(narrow.rootFigures(), null);
        const rows = narrow.predicates(ALL).reduce((sum, one) => sum + one.rows, 0);
        assert.equal(rows, inGraphs(found(behind), readable).length);
        assert.equal(narrow.derived('of all', () => ({ by: key })).by, key);
        assert.equal(behind.derived('of all', () => ({ by: 'everyone' })).by, 'everyone');
      });
    }
    behind.close();
    await engine.close();
  });
}

function graphOf({ graph }: Quad): NamedNode {
  return graph.termType === 'NamedNode' ? graph : ROOT;
}
