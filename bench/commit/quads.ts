/**
 * New quads for commits: every subject is a new term, predicates and objects stand in the store
 * already, so that 20 quads bring 20 new terms.
 */
import { invariant } from '../../engine/base/errors.js';
import { type Quad, type Store, type Term, terms } from '../../interfaces/library/index.js';
import { Random } from '../data/random.js';
import { sampleRows, toColumn } from '../storage/sample.js';

const KNOWN_PREDICATES = 10;
const KNOWN_OBJECTS = 1000;
const NAMES = 'http://commits.example/';

/** Random quads of a store, all different. */
export function sampleQuads(store: Store, count: number, seed: number): Quad[] {
  const rows = store.stats().factsCurrent;
  const snapshot = store.snapshot();
  const sample = sampleRows(snapshot.storage, rows, count, seed);
  const ids = sample.flatMap(({ s, p, o }) => [s, p, o]);
  const found = snapshot.storage.decode(toColumn(ids), ids.length);
  snapshot.close();
  return sample.map((_, at) => {
    const [s, p, o] = found.slice(3 * at, 3 * at + 3);
    invariant(s && p && o, 'ids of a row decode');
    return terms.quad(s as Quad['subject'], p as Quad['predicate'], o as Quad['object']);
  });
}

/** A store with nothing in it gets the predicates and objects that new quads refer to. */
export async function prepareEmpty(store: Store): Promise<void> {
  const quads = Array.from({ length: KNOWN_OBJECTS }, (_, at) =>
    terms.quad(
      terms.namedNode(`${NAMES}known/${at}`),
      terms.namedNode(`${NAMES}predicate/${at % KNOWN_PREDICATES}`),
      terms.namedNode(`${NAMES}object/${at}`),
    ),
  );
  await store.transact({ assert: quads });
}

export class NewQuads {
  /** Of everything made so far, as N-Quads. */
  textBytes = 0;
  made = 0;
  readonly #random: Random;
  readonly #known: readonly Quad[];
  readonly #name: string;

  /** `name` tells the subjects of one phase from those of another. */
  constructor(known: readonly Quad[], name: string, seed: number) {
    this.#random = new Random(seed);
    this.#known = known;
    this.#name = name;
  }

  take(count: number): Quad[] {
    return Array.from({ length: count }, () => this.#one());
  }

  #one(): Quad {
    const subject = terms.namedNode(`${NAMES}${this.#name}/item-${this.made++}`);
    const predicate = this.#random.choice(this.#known).predicate;
    const object = this.#random.choice(this.#known).object;
    this.textBytes += Buffer.byteLength(`<${subject.value}> <${predicate.value}> ${written(object)} .\n`);
    return terms.quad(subject, predicate, object);
  }
}

/** How long a term is in N-Quads; the data sets have IRIs and literals only. */
function written(term: Term): string {
  if (term.termType !== 'Literal') return `<${term.value}>`;
  const text = JSON.stringify(term.value);
  if (term.language) return `${text}@${term.language}`;
  return term.datatype.value.endsWith('#string') ? text : `${text}^^<${term.datatype.value}>`;
}
