/**
 * FIBO with itself as its ontology: ten questions whose answers need what follows, each held against a plain computation over the
 * parsed triples and explained, and its class tree by rules.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { quadToLine } from '../../engine/rdf/canonical/lines.js';
import { openStore, type Quad, type Store, type Term } from '../../interfaces/library/index.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { rulesOf } from './rules/support.js';

const folder = new StoreFolder();
const shared = sharedFolder();
const skip = shared === null && SHARED_ABSENT;
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const OWL = 'http://www.w3.org/2002/07/owl#';
const CMNS = 'https://www.omg.org/spec/Commons/';
const FIBO = 'https://spec.edmcouncil.org/fibo/ontology/';

/** Classes: what is one; properties: what has it, and which. */
const QUESTIONS = {
  classes: [
    `${CMNS}Organizations/LegalPerson`,
    `${CMNS}Organizations/FormalOrganization`,
    `${FIBO}BE/GovernmentEntities/GovernmentEntities/Polity`,
    `${CMNS}Locations/GeopoliticalEntity`,
    `${FIBO}FBC/FunctionalEntities/FinancialServicesEntities/FinancialInstitution`,
  ],
  properties: [
    `${CMNS}RegulatoryAgencies/governs`,
    `${FIBO}BE/GovernmentEntities/GovernmentEntities/hasSovereigntyOver`,
    `${CMNS}Collections/hasPart`,
    `${CMNS}Collections/isPartOf`,
    `${CMNS}Designators/hasTextualName`,
  ],
};

/** The facts of its 294 files, read once. */
let facts: Promise<Quad[]> | null = null;
function fibo(): Promise<Quad[]> {
  facts ??= readFibo();
  return facts;
}

async function readFibo(): Promise<Quad[]> {
  const data = join(shared as string, 'data/fibo');
  const files = readdirSync(data, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.rdf'))
    .sort();
  assert.equal(files.length, 294);
  const store = await openStore(folder.fresh());
  try {
    for (const name of files) {
      const path = join(data, name);
      await store.load({ bytes: readFileSync(path), format: 'rdfxml', baseIri: pathToFileURL(path).href, name });
    }
    const found: Quad[] = [];
    for await (const quad of store.match()) found.push(quad);
    return found;
  } finally {
    await store.close();
  }
}

const keyOf = (term: Term): string =>
  term.termType === 'Literal' ? `"${term.value}"${term.language}^${term.datatype.value}` : term.value;
const isNode = (key: string): boolean => !key.startsWith('"');

/** By predicate the pairs that follow, to a fixpoint, by trying every axiom on every fact that is new. */
function entailed(facts: readonly Quad[]): Map<string, Set<string>> {
  const axioms = (predicate: string): [string, string][] =>
    facts.flatMap(({ subject, predicate: p, object }) =>
      p.value === predicate && subject.termType === 'NamedNode' && object.termType === 'NamedNode'
        ? [[subject.value, object.value]]
        : [],
    );
  const each = (pairs: readonly [string, string][], both = false): Map<string, string[]> => {
    const all = new Map<string, string[]>();
    for (const [a, b] of both ? [...pairs, ...pairs.map(([x, y]): [string, string] => [y, x])] : pairs) {
      all.set(a, [...(all.get(a) ?? []), b]);
    }
    return all;
  };
  const above = each(axioms(`${RDFS}subClassOf`));
  const same = each(axioms(`${OWL}equivalentClass`), true);
  const over = each(axioms(`${RDFS}subPropertyOf`));
  const equal = each(axioms(`${OWL}equivalentProperty`), true);
  const inverse = each(axioms(`${OWL}inverseOf`), true);
  const [domains, ranges] = [each(axioms(`${RDFS}domain`)), each(axioms(`${RDFS}range`))];
  const kinds = (kind: string) =>
    new Set(axioms(TYPE).flatMap(([property, type]) => (type === OWL + kind ? [property] : [])));
  const [symmetric, transitive] = [kinds('SymmetricProperty'), kinds('TransitiveProperty')];

  const held = new Map<string, Set<string>>();
  const waiting: [string, string, string][] = [];
  const add = (s: string, p: string, o: string): void => {
    const pairs = held.get(p) ?? new Set();
    held.set(p, pairs);
    if (pairs.has(`${s}\t${o}`)) return;
    pairs.add(`${s}\t${o}`);
    waiting.push([s, p, o]);
  };
  for (const { subject, predicate, object } of facts) add(keyOf(subject), predicate.value, keyOf(object));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [s, p, o] = next;
    if (p === TYPE) for (const type of [...(above.get(o) ?? []), ...(same.get(o) ?? [])]) add(s, TYPE, type);
    for (const property of [...(over.get(p) ?? []), ...(equal.get(p) ?? [])]) add(s, property, o);
    for (const type of domains.get(p) ?? []) add(s, TYPE, type);
    if (!isNode(o)) continue;
    for (const type of ranges.get(p) ?? []) add(o, TYPE, type);
    for (const property of inverse.get(p) ?? []) add(o, property, s);
    if (symmetric.has(p)) add(o, p, s);
    if (!transitive.has(p)) continue;
    for (const pair of [...(held.get(p) as Set<string>)]) {
      const [a, b] = pair.split('\t') as [string, string];
      if (a === o) add(s, p, b);
      if (b === s) add(a, p, o);
    }
  }
  return held;
}

/** The objects of the answers, by pair. */
async function answersTo(store: Store, pattern: string): Promise<Map<string, Term>> {
  const answers = new Map<string, Term>();
  const found = await store.select(`SELECT DISTINCT ?s ?o WHERE { ${pattern} }`);
  for await (const { s, o } of found.bindings()) {
    if (s === undefined || o === undefined) continue;
    if (s.termType === 'NamedNode' && o.termType !== 'BlankNode') answers.set(`${s.value}\t${keyOf(o)}`, o);
  }
  return answers;
}

const named = (pairs: Iterable<string>): string[] =>
  [...pairs].filter((pair) => pair.split('\t').every((key) => key.startsWith('"') || key.includes('://'))).sort();

test('ten questions to FIBO that its ontology answers, each explained', { skip, timeout: 300_000 }, async () => {
  const store = await openStore(folder.fresh(), { features: ['owl'] });
  try {
    const facts = await fibo();
    await store.transact({ assert: facts });
    const patterns = [
      ...QUESTIONS.classes.map((iri) => ({ predicate: TYPE, object: iri as string | null })),
      ...QUESTIONS.properties.map((iri) => ({ predicate: iri, object: null })),
    ].map(({ predicate, object }) => ({
      predicate,
      object,
      text: `?s <${predicate}> ?o ${object === null ? '' : `FILTER(?o = <${object}>)`}`,
    }));
    assert.equal(patterns.length, 10);
    const before = await Promise.all(patterns.map(({ text }) => answersTo(store, text)));
    await store.loadOntology('fibo', facts.map(quadToLine).join('\n'));
    const expected = entailed(facts);
    for (const [at, { predicate, object, text }] of patterns.entries()) {
      const answers = await answersTo(store, text);
      const wanted = named(expected.get(predicate) as Set<string>).filter(
        (pair) => object === null || pair.endsWith(`\t${object}`),
      );
      assert.deepEqual(named(answers.keys()), wanted, text);
      const drawn = named(answers.keys()).filter((pair) => !(before[at] as Map<string, Term>).has(pair));
      assert.ok(drawn.length >= 30, `${text}: ${drawn.length} answers follow`);
      const fact = drawn[0] as string;
      const input = { s: fact.split('\t')[0] as string, p: predicate, o: answers.get(fact) as Term };
      const explained = await store.explainFact(input);
      assert.equal(explained.source, 'owl:materialize');
      const { derivation } = explained;
      assert.ok(derivation?.kind === 'owl' && (derivation.axioms ?? []).length > 0, fact);
      assert.ok(
        derivation.support.every(({ found }) => found),
        fact,
      );
    }
  } finally {
    await store.close();
  }
});

test('the class tree of FIBO by rules, with every path and no other', { skip, timeout: 300_000 }, async () => {
  const store = await openStore(folder.fresh());
  try {
    const facts = await fibo();
    await store.transact({ assert: facts });
    const sub = `<${RDFS}subClassOf>`;
    const rules = rulesOf(
      `base: under(?x, ?y) :- ${sub}(?x, ?y)`,
      `step: under(?x, ?z) :- under(?x, ?y), ${sub}(?y, ?z)`,
    );
    const { asserted } = await store.reason({ rules, prefix: 'http://ex/' });
    const above = new Map<string, string[]>();
    for (const { subject, predicate, object } of facts) {
      if (predicate.value !== `${RDFS}subClassOf`) continue;
      above.set(subject.value, [...(above.get(subject.value) ?? []), object.value]);
    }
    const reachedFrom = (start: string): Set<string> => {
      const reached = new Set<string>();
      const queue = [start];
      for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
        for (const next of above.get(node) ?? []) {
          if (reached.has(next)) continue;
          reached.add(next);
          queue.push(next);
        }
      }
      return reached;
    };
    const sizes = new Map([...above.keys()].map((start) => [start, reachedFrom(start).size]));
    const pairs = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    assert.ok(pairs > 10_000);
    assert.equal(asserted, pairs);
    const [deepest] = [...sizes]
      .filter(([node]) => node.includes('://'))
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .map(([node]) => node) as [string];
    const found: string[] = [];
    const text = `SELECT ?up WHERE { <${deepest}> <http://ex/under> ?up FILTER(isIRI(?up)) }`;
    for await (const { up } of (await store.select(text, { inferred: true })).bindings()) {
      found.push(up?.value ?? '');
    }
    const wanted = [...reachedFrom(deepest)].filter((node) => node.includes('://'));
    assert.ok(wanted.length >= 10);
    assert.deepEqual(found.sort(), wanted.sort());
  } finally {
    await store.close();
  }
});
