/** Searches by text against plain code over random histories, at random times, in memory and in a file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  openStore,
  type Quad,
  type Store,
  type Term,
  type TimeOptions,
  terms,
} from '../../interfaces/library/index.js';
import { randomNumbers } from '../storage/scan-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { EX, LABEL } from './time-support.js';

const folder = new StoreFolder();
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const GENERATED_BY = 'http://www.w3.org/ns/prov#wasGeneratedBy';
const WORDS = ['red', 'Green', 'BLUE', 'straße', 'été', 'r', 'e', 'ee'];
const NAMES = ['a', 'b', 'Red-one', 'green', 'x/e', 'été', 'zz'];
const TAGS = ['en', 'fr'];

type Next = (below: number) => number;

const pick = <Item>(items: readonly Item[], next: Next): Item => items[next(items.length)] as Item;
const iri = (name: string) => terms.namedNode(`${EX}${name}`);
const day = (number: number): string => new Date(Date.UTC(2026, 0, 1 + number)).toISOString().slice(0, 10);

function randomTerm(next: Next): Quad['object'] {
  const text = Array.from({ length: 1 + next(3) }, () => pick(WORDS, next)).join(' ');
  switch (next(6)) {
    case 0:
      return iri(pick(NAMES, next));
    case 1:
      return terms.literal(text, pick(TAGS, next));
    case 2:
      return terms.literal(String(next(40)), terms.namedNode('http://www.w3.org/2001/XMLSchema#integer'));
    case 3:
      return terms.blankNode(`b${next(3)}`);
    default:
      return terms.literal(text);
  }
}

function randomQuad(next: Next, base: string): Quad {
  const s = next(8) === 0 ? terms.blankNode(`b${next(3)}`) : iri(pick(NAMES, next));
  switch (next(7)) {
    case 0:
      return terms.quad(s, terms.namedNode(LABEL), randomTerm(next));
    case 1:
      return terms.quad(s, terms.namedNode(TYPE), iri(pick(['Red', 'Other'], next)));
    case 2:
      return terms.quad(s, terms.namedNode(GENERATED_BY), iri(`episode${next(3)}`));
    case 3:
      return terms.quad(iri(`episode${next(3)}`), terms.namedNode(`${base}groupId`), terms.literal(`g${next(2)}`));
    default:
      return terms.quad(s, iri(pick(['p', 'greenish'], next)), randomTerm(next));
  }
}

/** Folded as `foldCase` does: code point by code point, lower case of upper case of lower case. */
const fold = (text: string): string => [...text].map((one) => one.toLowerCase().toUpperCase().toLowerCase()).join('');
const isIn = (text: string, query: string): boolean => fold(text).includes(fold(query));

function compare(a: string, b: string): number {
  const [x, y] = [[...a], [...b]];
  for (let at = 0; at < Math.min(x.length, y.length); at++) {
    const difference = (x[at]?.codePointAt(0) ?? 0) - (y[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return x.length - y.length;
}

interface Scope {
  readonly groupIds?: readonly string[];
  readonly entityType?: string;
}

/** What ROOT holds at a time, and what plain code finds in it. */
class Oracle {
  constructor(
    private readonly quads: readonly Quad[],
    private readonly base: string,
  ) {}

  isScoped(subject: Term, { groupIds = [], entityType }: Scope): boolean {
    const own = this.quads.filter((quad) => quad.subject.equals(subject));
    const typed = (wanted: string) =>
      own.some(({ predicate, object }) => predicate.value === TYPE && object.value === wanted);
    const groups = own
      .filter(({ predicate }) => predicate.value === GENERATED_BY)
      .flatMap(({ object }) => this.quads.filter((quad) => quad.subject.equals(object)))
      .filter(({ predicate }) => predicate.value === `${this.base}groupId`)
      .map(({ object }) => object.value);
    return (
      (entityType === undefined || typed(entityType)) &&
      (groupIds.length === 0 || groups.some((group) => groupIds.includes(group)))
    );
  }

  nodes(query: string, scope: Scope): string[] {
    const subjects = new Map(this.quads.map(({ subject }) => [subject.value, subject]));
    const found = [...subjects.values()].flatMap((subject) => {
      if (subject.termType !== 'NamedNode' || !this.isScoped(subject, scope)) return [];
      const own = this.quads.filter((quad) => quad.subject.equals(subject));
      const literals = own.filter(({ object }) => object.termType === 'Literal' && isIn(object.value, query));
      const points = own.some(({ object }) => object.termType === 'NamedNode' && isIn(object.value, query));
      const isLabel = literals.some(({ predicate }) => predicate.value === LABEL);
      const score = isIn(subject.value, query) ? 1 : isLabel ? 0.9 : literals.length > 0 ? 0.7 : points ? 0.5 : 0;
      return score === 0 ? [] : [{ iri: subject.value, score }];
    });
    return found.sort((a, b) => b.score - a.score || compare(a.iri, b.iri)).map((one) => `${one.iri} ${one.score}`);
  }

  facts(query: string, scope: Scope): string[] {
    const shown = (term: Term): string => (term.termType === 'BlankNode' ? `_:${term.value}` : term.value);
    return this.quads
      .filter(({ subject, predicate, object }) => {
        const isText = object.termType === 'NamedNode' || object.termType === 'Literal';
        const holds = isIn(predicate.value, query) || (isText && isIn(object.value, query));
        return holds && (scope.groupIds === undefined || scope.groupIds.length === 0 || this.isScoped(subject, scope));
      })
      .map(({ subject, predicate, object }) => [shown(subject), predicate.value, shown(object)] as const)
      .sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]) || compare(a[2], b[2]))
      .map((fact) => fact.join(' '));
  }
}

function oracleAt(store: Store, time: TimeOptions): Oracle {
  const snapshot = store.snapshot(time);
  try {
    return new Oracle([...snapshot.dataset().match(null, null, null, terms.defaultGraph())], store.baseNamespace);
  } finally {
    snapshot.close();
  }
}

async function write(store: Store, next: Next, at: number): Promise<void> {
  const assert = Array.from({ length: 1 + next(12) }, () => randomQuad(next, store.baseNamespace));
  const all = [...store.dataset()];
  const retract = all.length === 0 ? [] : Array.from({ length: next(4) }, () => pick(all, next));
  await store.transact({ assert, retract }, { timestamp: day(at), recordEmpty: true });
}

async function check(store: Store, next: Next, latest: number, what: string): Promise<void> {
  const time: TimeOptions = {
    ...(next(3) === 0 ? { validAt: day(next(latest + 2)) } : {}),
    ...(next(3) === 0 ? { tx: next(latest + 1) } : {}),
  };
  const oracle = oracleAt(store, time);
  const query = next(4) === 0 ? pick(NAMES, next) : next(3) === 0 ? EX.slice(0, 9) : pick(WORDS, next);
  const scope: Scope = {
    ...(next(3) === 0 ? { groupIds: Array.from({ length: next(3) }, () => `g${next(3)}`) } : {}),
    ...(next(3) === 0 ? { entityType: `${EX}${pick(['Red', 'Other', 'None'], next)}` } : {}),
  };
  const [offset, limit] = [next(4) === 0 ? next(6) : 0, next(3) === 0 ? 1 + next(3) : 100];
  const options = { ...time, ...scope, offset, limit, textBackend: 'substring' as const, labelPredicates: [LABEL] };
  const told = `${what}: ${JSON.stringify({ query, ...options })}`;

  const nodes = oracle.nodes(query, scope);
  const found = await store.searchNodes(query, options);
  assert.deepEqual(
    found.nodes.map(({ iri: name, score }) => `${name} ${score}`),
    nodes.slice(offset, offset + limit),
    told,
  );
  assert.equal(found.truncated, nodes.length > offset + limit, told);

  const { entityType: _, ...grouped } = options;
  const facts = oracle.facts(query, { groupIds: scope.groupIds ?? [] });
  const answer = await store.searchFacts(query, grouped);
  const shown = (term: Term): string => (term.termType === 'BlankNode' ? `_:${term.value}` : term.value);
  assert.deepEqual(
    answer.facts.map(({ source, predicate, target }) => `${shown(source)} ${predicate.value} ${shown(target)}`),
    facts.slice(offset, offset + limit),
    told,
  );
  assert.equal(answer.truncated, facts.length > offset + limit, told);

  // Direct hits of a context are those nodes that do not merely point at the text.
  const { entities } = await store.context(query, {
    ...time,
    ...scope,
    maxEntities: 100,
    textBackend: 'substring',
    labelPredicates: [LABEL],
  });
  assert.deepEqual(
    entities.filter(({ relevance }) => relevance === 'Direct').map(({ iri: name, score }) => `${name} ${score}`),
    nodes.filter((node) => !node.endsWith(' 0.5')),
    told,
  );
  for (const { iri: name, relevance } of entities) {
    if (relevance === 'Linked') assert.ok(oracle.isScoped(terms.namedNode(name), scope), `${told}: ${name}`);
  }
}

for (const kind of ['memory', 'file'] as const) {
  test(`random histories at random times are searched as plain code searches them (${kind})`, async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const next = randomNumbers(seed);
      const store = await openStore(kind === 'memory' ? ':memory:' : folder.fresh());
      for (let round = 0; round < 6; round++) {
        await write(store, next, round);
        if (kind === 'file' && next(3) === 0) await store.fold();
        for (let question = 0; question < 6; question++) {
          await check(store, next, store.transactions().length, `seed ${seed}, round ${round}`);
        }
      }
      await store.close();
    }
  });
}
