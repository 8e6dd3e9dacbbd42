/**
 * Random histories of two stores that differ in what is hidden alone: the graphs that a reader may read are written alike,
 * by the same transactions; the others have other names, other facts, other kinds and other numbers.
 */

import type { Quad, Term } from '../../engine/rdf/terms.js';
import { terms } from '../../engine/rdf/terms.js';
import type { Store } from '../../interfaces/library/index.js';
import { rulesOf } from '../reason/rules/support.js';

export const EX = 'http://example.org/';
export const ROOT = 'urn:svc:graph:root';
export const V = { one: `${EX}open/1`, two: `${EX}open/2`, over: `${EX}open/over`, cover: `${EX}open/cover` };
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** Numbers from a seed, the same ones each time. */
export function random(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 0;
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below;
  };
}

type Pick = (below: number) => number;

const node = (name: string) => terms.namedNode(EX + name);
const WORDS = ['apple', 'pear', 'plum', 'red', 'green', 'old'];

/** A fact of few terms, so that the same ones come again and again in other graphs. */
function fact(pick: Pick, graph: string, word = ''): Quad {
  const s = node(`${word}n${pick(8)}`);
  const g = graph === ROOT ? terms.namedNode(ROOT) : terms.namedNode(graph);
  const name = (): Term => terms.literal(`${word}${WORDS[pick(6)]} ${WORDS[pick(6)]}`);
  const kinds: readonly (() => Quad)[] = [
    () => terms.quad(s, node(`p${pick(3)}`), node(`${word}n${pick(8)}`), g),
    () => terms.quad(s, node(`p${pick(3)}`), terms.literal(`${pick(5)}`), g),
    () => terms.quad(s, terms.namedNode(TYPE), node(`${word}T${pick(3)}`), g),
    () => terms.quad(s, terms.namedNode(`${RDFS}label`), name() as Quad['object'], g),
    () => terms.quad(node(`${word}T${pick(3)}`), terms.namedNode(`${RDFS}subClassOf`), node(`${word}T${pick(3)}`), g),
    () => {
      const told = terms.quad(node(`n${pick(8)}`), node(`p${pick(3)}`), node(`n${pick(8)}`));
      return terms.quad(s, node('says'), told as unknown as Quad['object'], g);
    },
  ];
  return (kinds[pick(kinds.length)] as () => Quad)();
}

/**
 * Every term that both stores may come to use, in a graph that is hidden: the order of an answer without ORDER BY follows
 * the order in which terms became known, to whomever.
 */
export function sharedTerms(): Quad[] {
  const graph = terms.namedNode(`${EX}aa-or-bb`);
  const range = (count: number) => Array.from({ length: count }, (_, at) => at);
  const told = range(8).flatMap((s) =>
    range(3).flatMap((p) => range(8).map((o) => terms.quad(node(`n${s}`), node(`p${p}`), node(`n${o}`)))),
  );
  const names = WORDS.flatMap((one) => WORDS.map((other) => terms.literal(`${one} ${other}`)));
  const nodes = [...range(8).map((at) => node(`n${at}`)), ...range(3).map((at) => node(`p${at}`))];
  const others = [
    ...nodes,
    ...range(3).map((at) => node(`T${at}`)),
    ...range(5).map((at) => terms.literal(`${at}`)),
    terms.literal('over'),
  ];
  const iris = [...Object.values(V), TYPE, `${RDFS}label`, `${RDFS}subClassOf`].map((iri) => terms.namedNode(iri));
  const objects = [...others, ...iris, ...names, ...told] as unknown as Quad['object'][];
  return objects.map((object) => terms.quad(node('says'), node('says'), object, graph));
}

/**
 * Of every kind of thing one that is hidden and the same in both, so that their terms are known; and graphs that may be
 * read are registered, as they are when an overlay or a dataset names them.
 */
export async function useEveryKind(store: Store, timestamp: string): Promise<void> {
  const name = 'aa-or-bb';
  for (const iri of [V.one, V.two]) await store.createGraph(iri, { timestamp });
  await store.createOverlay(`${EX}${name}/overlay`, { parent: EX + name, timestamp });
  await store.writeOverlay(
    `${EX}${name}/overlay`,
    { op: 'assert', subject: EX, predicate: EX, object: name },
    { timestamp },
  );
  await store.labelGraph(EX + name, { freshness: 'stale' }, { timestamp });
  await store.createDataset({ name: `${EX}${name}/set`, members: [EX + name] }, { timestamp });
  await store.createFork({ tx: 1, name }, { timestamp });
  await store.storeQuery({ name, template: 'SELECT * { ?s ?p ?o }' }, { timestamp });
}

/** What follows from the graphs of the histories. */
export const RULES_OF_REASON = rulesOf('R1: p2(?y, ?x) :- p0(?x, ?y)', 'R2: p1(?x, ?x) :- says(?x, ?y)');

export interface Hidden {
  /** Every hidden name and term of the store holds it. */
  readonly word: string;
  readonly pick: Pick;
  /** Whether ROOT is among what is hidden. */
  readonly root: boolean;
}

let days = 0;
const instant = (day: number) => new Date(Date.UTC(2021, 0, 1 + day)).toISOString();

/** One transaction of graphs that may be read, the same in both stores. */
export type VisibleStep = {
  readonly assert: readonly Quad[];
  readonly retract: readonly Quad[];
  readonly timestamp: string;
};

export function visibleSteps(pick: Pick, count: number, root: boolean): VisibleStep[] {
  const graphs = root ? [V.one, V.two, ROOT] : [V.one, V.two];
  const written: Quad[] = [];
  return Array.from({ length: count }, (_, day) => {
    const assert = Array.from({ length: 3 + pick(6) }, () => fact(pick, graphs[pick(graphs.length)] as string));
    const retract = written.length > 4 && pick(2) === 0 ? [written[pick(written.length)] as Quad] : [];
    written.push(...assert);
    return { assert, retract, timestamp: instant(3 * day) };
  });
}

/** What happens in the graphs that are hidden, some transactions of it. */
export async function hideMore(store: Store, { word, pick, root }: Hidden): Promise<void> {
  const graph = `${EX}${word}/${pick(3)}`;
  const timestamp = instant(400 + days++);
  const name = `${word}${days}`;
  const filled = async (iri: string): Promise<void> => {
    const facts = Array.from({ length: 2 + pick(9) }, () => fact(pick, iri, pick(2) === 0 ? word : ''));
    await store.transact({ assert: facts }, { timestamp, actor: word, source: `${word}:x` });
  };
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => filled(graph),
    () => filled(root ? ROOT : graph),
    () => store.createGraph(`${EX}${name}/empty`, { timestamp }),
    () => store.createFork({ tx: 1, name }, { timestamp }),
    async () => {
      await filled(graph);
      await store.createDataset({ name: `${EX}${name}`, members: [V.one, graph] }, { timestamp });
    },
    () => store.storeQuery({ name, template: `SELECT * { ?s <${EX}${word}> ?o }` }, { timestamp } as object),
    () =>
      store.loadShapes(
        name,
        `@prefix ${word}: <${EX}${word}#> . @prefix sh: <http://www.w3.org/ns/shacl#> . <${EX}${name}> a sh:NodeShape .`,
      ),
    async () => {
      await filled(graph);
      await store.labelGraph(graph, { freshness: 'stale' } as object);
    },
    async () => {
      await filled(graph);
      const overlay = `${EX}${name}/overlay`;
      await store.createOverlay(overlay, { parent: pick(2) === 0 ? V.one : graph });
      await store.writeOverlay(overlay, { op: 'assert', subject: `${EX}n1`, predicate: `${EX}p1`, object: word });
    },
    async () => {
      await filled(graph);
      await store.update(
        `DELETE WHERE { GRAPH <${graph}> { ?s <${EX}p1> ?o } } ; INSERT DATA { GRAPH <${graph}> { <${EX}${name}> <${EX}p1> 1 } }`,
      );
    },
    async () => {
      await filled(graph);
      await store.reason({ rules: RULES_OF_REASON, prefix: EX, graph }, { timestamp });
    },
    () => {
      const nodes = [{ name: `${word}Node`, type: `${word}Type` }];
      return root ? store.writeEpisode({ name, nodes }, { timestamp }) : filled(graph);
    },
    () => store.propose({ kind: 'class', target: name, diff: name, proposer: word }),
  ];
  await (kinds[pick(kinds.length)] as () => Promise<unknown>)();
}

/** Fills a store up to a transaction by writes to a graph that is hidden. */
export async function reach(store: Store, tx: number, { word }: Hidden): Promise<void> {
  while (newest(store) < tx) {
    days++;
    await store.transact({
      assert: [terms.quad(node(`${word}${days}`), node('p0'), terms.literal(word), terms.namedNode(`${EX}${word}/0`))],
    });
  }
}

export function newest(store: Store): number {
  const snapshot = store.snapshot();
  const { tx } = snapshot.storage;
  snapshot.close();
  return tx;
}
