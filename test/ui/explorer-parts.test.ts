/** The explorer without a browser: its model, its grid, its names, its layout, and what it asks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgesAround, iriRef, isIri } from '../../interfaces/ui/explorer/ask/queries.js';
import { Camera, SCALE_MAX } from '../../interfaces/ui/explorer/draw/camera.js';
import { FrameFigures } from '../../interfaces/ui/explorer/draw/frame-figures.js';
import { Grid } from '../../interfaces/ui/explorer/draw/grid.js';
import { LabelPlaces, placeLabels } from '../../interfaces/ui/explorer/draw/label-places.js';
import { LABEL_CHARACTERS_MAX, labelText } from '../../interfaces/ui/explorer/draw/label-text.js';
import { EDGE_NUMBERS, NODE_NUMBERS, STYLE, sceneOf } from '../../interfaces/ui/explorer/draw/scene.js';
import { themeOf } from '../../interfaces/ui/explorer/draw/theme.js';
import { offOf, pathOf, sinceOf, startOf, toggled } from '../../interfaces/ui/explorer/explorer-state.js';
import { explorerKey } from '../../interfaces/ui/explorer/keys.js';
import { joined } from '../../interfaces/ui/explorer/layout/layout-graph.js';
import { LayoutTurns } from '../../interfaces/ui/explorer/layout/layout-turns.js';
import { communitiesOf } from '../../interfaces/ui/explorer/layout/louvain.js';
import type { FromLayout } from '../../interfaces/ui/explorer/layout/messages.js';
import { seed } from '../../interfaces/ui/explorer/layout/seed.js';
import { keptNumbers } from '../../interfaces/ui/explorer/model/communities.js';
import { nodeAt } from '../../interfaces/ui/explorer/model/directions.js';
import { ADDED, GraphModel, localName, REMOVED } from '../../interfaces/ui/explorer/model/graph-model.js';
import { neighboursOf, shortestPath } from '../../interfaces/ui/explorer/model/neighbours.js';
import { NO_FILTERS, predicateCounts, typeCounts, visibleOf } from '../../interfaces/ui/explorer/model/visible.js';
import { edgesOfPath, shownPath } from '../../interfaces/ui/explorer/path-finder.js';

/** Numbers in [0, 1), the same in every run. */
function chance(state = 1): () => number {
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

function modelOf(edges: string): GraphModel {
  const model = new GraphModel();
  for (const edge of edges.trim().split(/\s*[\n;]\s*/)) {
    const [source, predicate, target] = edge.split(' ') as [string, string, string];
    model.addEdge({ source, predicate, target });
  }
  return model;
}

const PLAIN = {
  colourBy: 'community',
  picked: new Set<number>(),
  pathNodes: new Set<number>(),
  pathEdges: new Set<number>(),
} as const;

test('a model holds a node and an edge once, counts degrees, and grows', () => {
  const model = modelOf('a p b; a q b; a p b; b p a; a p a');
  assert.equal(model.nodeCount, 2);
  assert.equal(model.edgeCount, 4, 'parallel edges of other predicates and directions are edges of their own');
  assert.deepEqual([...model.degree.subarray(0, 2)], [4, 3], 'a loop counts once');
  model.addNode({ iri: 'a', label: 'A', type: 't', degree: 9 });
  model.addNode({ iri: 'a' });
  assert.equal(model.nameOf(0), 'A');
  assert.equal(model.degreeInStore[0], 9, 'what is known stays known');
  for (let at = 0; at < 5000; at++) model.addEdge({ source: `n${at}`, predicate: 'p', target: `n${at + 1}` });
  assert.equal(model.nodeCount, 5003);
  assert.equal(model.degree[model.placeOf('n2500')], 2);
  model.clear();
  assert.equal(model.nodeCount + model.edgeCount, 0);
  assert.equal(model.placeOf('a'), -1);
  assert.equal(localName('http://example.org/a#b'), 'b');
  assert.equal(localName('http://example.org/'), 'example.org');
  assert.equal(localName('javascript:alert(1)'), 'alert(1)');
});

test('filters take out types, predicates, hidden nodes, and the edges that lose an end', () => {
  const model = modelOf('a p b; b q c; c p a');
  model.addNode({ iri: 'a', type: 'T' });
  model.addNode({ iri: 'b', type: 'U' });
  const shown = (typesOff: string[], predicatesOff: string[]): [number, number] => {
    const { nodes, edges } = visibleOf(model, { typesOff: new Set(typesOff), predicatesOff: new Set(predicatesOff) });
    return [nodes.length, edges.length];
  };
  assert.deepEqual(shown([], []), [3, 3]);
  assert.deepEqual(shown(['T'], []), [2, 1]);
  assert.deepEqual(shown([''], []), [2, 1], 'nodes without a type');
  assert.deepEqual(shown([], ['p']), [3, 1]);
  model.hidden[model.placeOf('b')] = 1;
  assert.deepEqual(shown([], []), [2, 1]);
  assert.deepEqual(
    typeCounts(model).map(({ iri }) => iri),
    ['', 'T', 'U'],
  );
  assert.deepEqual(predicateCounts(model), [
    { iri: 'p', count: 2 },
    { iri: 'q', count: 1 },
  ]);
});

test('a shortest path goes along edges either way, and only among what is shown', () => {
  const model = modelOf('a p b; c p b; c p d; a p e; e p f; f p d; x p x');
  const path = (from: string, to: string, predicatesOff: string[] = []): readonly string[] | null => {
    const visible = visibleOf(model, { ...NO_FILTERS, predicatesOff: new Set(predicatesOff) });
    return shownPath(model, visible, from, to)?.iris ?? null;
  };
  assert.equal(path('a', 'd')?.length, 4);
  assert.deepEqual(path('a', 'b'), ['a', 'b']);
  assert.deepEqual(path('a', 'a'), ['a']);
  assert.equal(path('a', 'x'), null);
  assert.equal(path('a', 'nowhere'), null);
  assert.equal(path('a', 'd', ['p']), null);
  const visible = visibleOf(model, NO_FILTERS);
  const iris = path('a', 'd')!;
  assert.equal(edgesOfPath(model, visible, iris).size, 3);
  assert.equal(shortestPath(model, visible, model.placeOf('a'), model.placeOf('d'))?.length, 3);
  const { start, edges } = neighboursOf(model, visible);
  assert.equal(start[visible.nodes.length], edges.length);
  assert.equal(edges.length, 13, 'each edge at both ends, a loop once');
});

test('the grid finds what a search through all nodes finds, and looks at few', () => {
  const random = chance();
  const count = 4000;
  const x = Float32Array.from({ length: count }, () => random() * 1000);
  const y = Float32Array.from({ length: count }, () => random() * 400);
  x[7] = Number.NaN;
  const radiusOf = (node: number): number => 1 + (node % 4);
  const grid = new Grid(x, y, count);
  for (let turn = 0; turn < 300; turn++) {
    const [atX, atY] = [random() * 1040 - 20, random() * 440 - 20];
    let best = -1;
    let bestDistance = 6;
    for (let node = 0; node < count; node++) {
      const distance = Math.hypot(x[node]! - atX, y[node]! - atY) - radiusOf(node);
      if (distance < bestDistance || (distance === bestDistance && node > best)) {
        best = node;
        bestDistance = distance;
      }
    }
    assert.equal(grid.nearest(atX, atY, 6, radiusOf, 4), best);
  }
  assert.ok(grid.examined < 300 * 40, `${grid.examined} nodes examined`);
  for (const [xs, ys] of [
    [[], []],
    [[5], [5]],
    [
      [1, 2, 3],
      [7, 7, 7],
    ],
  ] as const) {
    const small = new Grid(xs, ys, xs.length);
    assert.equal(
      small.nearest(xs[0] ?? 0, ys[0] ?? 0, 1, () => 0.1, 0.1),
      xs.length === 0 ? -1 : 0,
    );
  }
});

test('names never overlap, every community that has room has one, and what is picked comes first', () => {
  const random = chance(7);
  const count = 3000;
  const at = Array.from({ length: count }, () => [random() * 1000, random() * 700] as const);
  const communityOf = (node: number): number => node % 24;
  const places = new LabelPlaces({ width: 1000, height: 700, lineHeight: 16 });
  const byDegree = Uint32Array.from({ length: count }, (_, node) => node);
  const order = { first: [2999, 2998], byDegree, communityOf, labelsMax: 60, triesMax: 1000 };
  placeLabels(places, order, (node) => {
    const [x, y] = at[node]!;
    return { node, x, y, radius: 3, width: 60 + (node % 50) };
  });
  const { placed } = places;
  for (const [turn, a] of placed.entries()) {
    assert.ok(a.left >= 0 && a.top >= 0 && a.right <= 1000 && a.bottom <= 700);
    for (const b of placed.slice(turn + 1)) {
      assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top);
    }
  }
  assert.equal(new Set(placed.map(({ node }) => communityOf(node))).size, 24);
  assert.ok(placed.length <= 60 && placed.some(({ node }) => node === 2999));
  assert.ok(places.compared < 60_000, `${places.compared} pairs compared`);
});

test('a label is one short line with a direction, however long or strange it is', () => {
  const long = labelText('x'.repeat(20_000));
  assert.equal([...long.text].length, LABEL_CHARACTERS_MAX);
  assert.ok(long.text.endsWith('…'));
  assert.equal(labelText('قرض متجدد').direction, 'rtl');
  assert.equal(labelText('12 שלום').direction, 'rtl');
  assert.equal(labelText('Kredit قرض').direction, 'ltr');
  assert.equal(labelText('a\u202eb\n\u0000c').text, 'a b c');
  assert.equal([...labelText('😀'.repeat(100)).text].length, LABEL_CHARACTERS_MAX);
  assert.equal(labelText('').text, '');
});

test('a camera keeps the point under the pointer, and fits what has no size', () => {
  const camera = new Camera();
  camera.resize(800, 600);
  camera.fit({ left: -100, top: -50, right: 100, bottom: 50 }, 40, 10);
  assert.equal(camera.scale, 3.6);
  const [x, y] = [camera.worldX(100), camera.worldY(50)];
  camera.zoomAt(100, 50, 2);
  assert.ok(Math.abs(camera.worldX(100) - x) < 1e-9 && Math.abs(camera.worldY(50) - y) < 1e-9);
  camera.zoomAt(0, 0, 1e9);
  assert.equal(camera.scale, SCALE_MAX);
  camera.fit({ left: 3, top: 3, right: 3, bottom: 3 }, 40, 2);
  assert.deepEqual([camera.scale, camera.screenX(3), camera.screenY(3)], [2, 400, 300]);
});

test('a scene has an instance a node and an edge, loops beside them, and strong edges once', () => {
  const model = modelOf('a p b; a q b; b p b; b p c; c p a');
  model.edgeChange[3] = ADDED;
  model.edgeChange[4] = REMOVED;
  model.change[model.placeOf('c')] = ADDED;
  const visible = visibleOf(model, NO_FILTERS);
  const scene = sceneOf(model, visible, { ...PLAIN, picked: new Set([0]) }, themeOf(true));
  assert.equal(scene.edgeCount, 5);
  assert.equal(scene.strongCount, 2);
  assert.equal(scene.instanceCount, 4);
  assert.equal(scene.nodes[3]! & STYLE.loop, STYLE.loop);
  assert.equal(scene.nodes[NODE_NUMBERS + 3], STYLE.picked);
  assert.equal(scene.nodes[3 * NODE_NUMBERS + 3], STYLE.added);
  const laneOf = (edge: number): number => scene.edges[edge * EDGE_NUMBERS + 3]! >> 8;
  assert.deepEqual([laneOf(0), laneOf(1)], [0, 1], 'parallel edges lie beside each other');
  assert.equal(scene.edges[3 * EDGE_NUMBERS], scene.edges[3 * EDGE_NUMBERS + 1], 'a strong edge is not drawn twice');
  assert.equal(
    sceneOf(new GraphModel(), visibleOf(new GraphModel(), NO_FILTERS), PLAIN, themeOf(false)).instanceCount,
    0,
  );
});

test('communities are found, the same each time, and keep their numbers when the graph grows', () => {
  const edges: number[] = [];
  for (let group = 0; group < 3; group++) {
    for (let one = 0; one < 8; one++)
      for (let other = 0; other < one; other++) edges.push(group * 8 + one, group * 8 + other);
  }
  edges.push(0, 8, 8, 16);
  const graph = { nodeCount: 24, positions: new Float32Array(48), edges: Uint32Array.from(edges) };
  const found = communitiesOf(24, joined(graph));
  assert.equal(new Set(found).size, 3);
  assert.deepEqual(found, communitiesOf(24, joined(graph)));
  for (let node = 0; node < 24; node++) assert.equal(found[node], found[node - (node % 8)]);
  const before = found.map((one) => (one === 0 ? 5 : one === 1 ? 0 : -1));
  const kept = keptNumbers(found, before);
  assert.deepEqual([...new Set(kept)].sort(), [0, 1, 5]);
  for (let node = 0; node < 24; node++) if (before[node]! >= 0) assert.equal(kept[node], before[node]);
  assert.deepEqual([...communitiesOf(3, { pairs: new Uint32Array(0), weights: new Float32Array(0) })], [0, 1, 2]);
});

test('a seed gives every node a place of its own, and leaves those that have one', () => {
  const positions = new Float32Array(2000).fill(Number.NaN);
  positions.set([3, 4]);
  seed(positions, { pairs: Uint32Array.from([0, 1, 1, 2]), weights: Float32Array.from([1, 1]) }, new Int32Array(1000));
  assert.ok(positions.every(Number.isFinite));
  assert.deepEqual([positions[0], positions[1]], [3, 4]);
  assert.ok(
    Math.hypot(positions[4]! - 3, positions[5]! - 4) < 100,
    'a chain of new nodes stands beside its end that was here',
  );
  const distinct = new Set(
    Array.from({ length: 1000 }, (_, node) => `${positions[2 * node]} ${positions[2 * node + 1]}`),
  );
  assert.equal(distinct.size, 1000);
});

/** A worker without a worker: messages that were sent, and turns that wait. */
function turnsOf(): { turns: LayoutTurns; sent: FromLayout[]; run: (turns?: number) => number } {
  const sent: FromLayout[] = [];
  const waiting: (() => void)[] = [];
  const turns = new LayoutTurns({ send: (message) => sent.push(message), later: (call) => waiting.push(call) });
  const run = (most = Number.POSITIVE_INFINITY): number => {
    let done = 0;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      next();
      if (++done === most) break;
    }
    return done;
  };
  return { turns, sent, run };
}

function ring(count: number): { nodeCount: number; positions: Float32Array; edges: Uint32Array } {
  const edges = Uint32Array.from({ length: 2 * count }, (_, at) => ((at >> 1) + (at & 1)) % count);
  return { nodeCount: count, positions: new Float32Array(2 * count).fill(Number.NaN), edges };
}

test('a layout sends positions only when the page asks for them, pauses at once, and settles', () => {
  const { turns, sent, run } = turnsOf();
  turns.take({ kind: 'graph', graph: 1, ...ring(40) });
  run(20);
  const of = (kind: string): FromLayout[] => sent.filter((message) => message.kind === kind);
  assert.equal(of('communities').length, 1);
  assert.equal(of('positions').length, 1, 'the page has not asked for more');
  turns.take({ kind: 'pause' });
  turns.take({ kind: 'next', graph: 1, positions: new Float32Array(80) });
  run();
  assert.equal(of('positions').length, 2);
  const paused = sent.at(-1);
  assert.ok(paused?.kind === 'positions' && paused.state === 'paused');
  assert.equal(run(), 0, 'what is paused does nothing');
  turns.take({ kind: 'resume' });
  turns.take({ kind: 'next', graph: 1, positions: new Float32Array(80) });
  const isSettled = (message: FromLayout | undefined): boolean =>
    message?.kind === 'positions' && message.state === 'settled';
  for (let frame = 0; frame < 2000 && !isSettled(sent.at(-1)); frame++) {
    run(3);
    turns.take({ kind: 'next', graph: 1, positions: new Float32Array(80) });
  }
  run();
  const last = sent.at(-1);
  assert.ok(last?.kind === 'positions' && last.state === 'settled' && last.iteration <= last.iterationsMax);
  assert.ok(last.positions.every(Number.isFinite));
  assert.equal(run(), 0, 'what has settled does nothing');
});

test('a layout takes an empty graph, one node, loops and a node that is dragged', () => {
  for (const nodeCount of [0, 1]) {
    const { turns, sent, run } = turnsOf();
    const edges = nodeCount === 1 ? Uint32Array.from([0, 0]) : new Uint32Array(0);
    turns.take({
      kind: 'graph',
      graph: 1,
      nodeCount,
      positions: new Float32Array(2 * nodeCount).fill(Number.NaN),
      edges,
    });
    run();
    const last = sent.at(-1);
    assert.ok(last?.kind === 'positions' && last.state === 'settled' && last.positions.every(Number.isFinite));
  }
  const { turns, sent, run } = turnsOf();
  turns.take({ kind: 'graph', graph: 1, ...ring(10) });
  run(5);
  turns.take({ kind: 'hold', node: 3, x: 500, y: -500 });
  turns.take({ kind: 'next', graph: 1, positions: new Float32Array(20) });
  run(5);
  const last = sent.at(-1);
  assert.ok(last?.kind === 'positions');
  assert.deepEqual([last.positions[6], last.positions[7]], [500, -500]);
  turns.take({ kind: 'next', graph: 9, positions: new Float32Array(20) });
  run(5);
  assert.equal(sent.at(-1), last, 'an array of another graph is not taken');
});

test('what is no IRI never gets into a query', () => {
  assert.equal(iriRef('javascript:alert(1)'), '<javascript:alert(1)>');
  assert.ok(isIri('http://example.org/日本') && !isIri('_:b0') && !isIri('a b') && !isIri('http://e/> } DROP'));
  for (const bad of [
    '',
    'x',
    'http://example.org/a b',
    'http://example.org/> ?s ?p ?o',
    'http://e/"',
    'http://e/\\u0020',
  ]) {
    assert.throws(() => edgesAround([bad], { limit: 1, offset: 0 }), /is no absolute IRI; write one/);
  }
});

test('the state of an address is read with care', () => {
  const start = { focus: [], depth: 1, types: [], query: null, limit: 250, changedSince: null };
  assert.deepEqual(startOf({}, {}), start);
  assert.equal(startOf({ since: '3', changed: '1' }, {}).changedSince, 3);
  assert.equal(startOf({ since: '3', changed: '1', focus: 'urn:a' }, {}).changedSince, null);
  assert.equal(startOf({ since: '3' }, {}).changedSince, null);
  assert.throws(() => startOf({ since: '2025-01-01', changed: '1' }, {}), /known between transactions/);
  assert.deepEqual(startOf({ limit: '999999', depth: '9' }, { types: 'a, b' }).types, ['a', 'b']);
  assert.equal(startOf({ limit: '999999' }, {}).limit, 2000);
  assert.throws(() => startOf({ depth: 'two' }, {}), /depth is 'two'; expected a whole number from 1 to 3/);
  assert.equal(startOf({ focus: 'urn:a' }, { query: 'SELECT' }).query, null);
  assert.deepEqual(sinceOf({ since: '12' }), { tx: 12 });
  assert.deepEqual(sinceOf({ since: '2025-01-01' }), { valid_at: '2025-01-01' });
  assert.deepEqual(pathOf({ path: 'urn:a urn:b' }), ['urn:a', 'urn:b']);
  assert.equal(pathOf({ path: 'urn:a' }), null);
  assert.deepEqual(offOf(toggled('urn:a', '')), new Set(['urn:a', '']));
  assert.equal(toggled('urn:a', 'urn:a'), undefined);
});

test('keys act where they mean something', () => {
  const key = (name: string, isOnGraph: boolean, ctrlKey = false) =>
    explorerKey({ key: name, ctrlKey, metaKey: false, altKey: false }, isOnGraph)?.kind ?? null;
  assert.equal(key('E', false), 'expand');
  assert.equal(key(' ', true), 'pause');
  assert.equal(key(' ', false), null, 'a button is pressed with it');
  assert.equal(key('ArrowLeft', true), 'go');
  assert.equal(key('e', true, true), null);
  const model = modelOf('a p b; a p c; a p d; d p e');
  const at: Record<string, [number, number]> = { a: [0, 0], b: [10, 1], c: [-10, 0], d: [9, 9], e: [11, 0] };
  const screenOf = (place: number) => ({ x: at[model.iris[place]!]![0], y: at[model.iris[place]!]![1] });
  const visible = visibleOf(model, NO_FILTERS);
  const go = (x: number, y: number) => model.iris[nodeAt(model, visible, model.placeOf('a'), { x, y }, screenOf)];
  assert.deepEqual([go(1, 0), go(-1, 0), go(0, 1), go(0, -1)], ['b', 'c', 'd', undefined]);
  assert.equal(nodeAt(model, visible, -1, { x: 1, y: 0 }, screenOf), model.placeOf('a'));
});

test('figures tell what share of frames stayed within', () => {
  const figures = new FrameFigures();
  for (let frame = 0; frame < 400; frame++) {
    figures.add(1);
    figures.frame(frame * 20, frame * 20 + (frame % 20 === 0 ? 9 : 1));
  }
  assert.equal(figures.scriptWithin(0.95), 2);
  assert.equal(figures.scriptWithin(1), 10);
  assert.equal(figures.framesPerSecond, 50);
});
