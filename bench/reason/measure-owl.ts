/**
 * An ontology over a store of universities, in a process of its own, CPU milliseconds: what follows from all facts, found alone (the
 * least of some runs), found and written, a load of as many facts; and commits of ten facts, with the ontology followed and without.
 */
import { copyFileSync } from 'node:fs';
import { readOntology } from '../../engine/graphs/ontologies/read-ontology.js';
import { materialize } from '../../engine/reason/owl/materialize.js';
import { Ontology } from '../../engine/reason/owl/ontology.js';
import { idOfHalves } from '../../engine/storage/ids/halves.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { decodeIds, ROOT_ONLY } from '../../engine/storage/seam/rows.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import { openStore, type Quad, type Store, terms } from '../../interfaces/library/index.js';
import { iri, string, TripleFile } from '../data/ntriples.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import { newStudent, universityOntology } from './lubm.js';

export interface OwlTask {
  readonly task: 'reason-owl';
  /** Loaded, without the ontology. */
  readonly store: string;
  readonly rounds: number;
  readonly commits: number;
}

export interface OwlFigures {
  readonly facts: number;
  readonly derived: number;
  readonly cpuMs: Readonly<Record<string, number>>;
}

const NAME = 'universities';
/** Commits that are measured together, of one store and then of the other. */
const TOGETHER = 20;

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

export async function measureOwl({ store: path, rounds, commits }: OwlTask): Promise<OwlFigures> {
  const cpuMs: Record<string, number> = {};
  const plainPath = scratchPath('owl-plain.svc');
  copyFileSync(path, plainPath);
  const { facts, derived } = await computeIn(path, rounds, cpuMs);
  const store = await openStore(path, { features: ['owl'] });
  cpuMs['load the ontology: find and write'] = await cpuOf(() => store.loadOntology(NAME, universityOntology()));
  await store.close();
  cpuMs['load of as many'] = await loadOfAsMany(path);
  await commitBoth(path, plainPath, commits, cpuMs);
  removeStore(plainPath);
  return { facts, derived, cpuMs };
}

async function computeIn(path: string, rounds: number, cpuMs: Record<string, number>) {
  const engine = await openLmdbEngine(path);
  const snapshot = engine.snapshot();
  const ontology = new Ontology((await readOntology(universityOntology(), NAME)).axioms);
  const facts = snapshot.count({ graphs: ROOT_ONLY, pattern: {}, time: CURRENT });
  let [derived, least] = [0, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    const used = await cpuOf(() => {
      derived = materialize(ontology, { snapshot, isDerived: () => false }, {}).counts.asserted;
    });
    least = Math.min(least, used);
  }
  cpuMs['find what follows'] = least;
  snapshot.close();
  await engine.close();
  return { facts, derived };
}

/** What the last transaction has asserted, as a document, into an empty store. */
async function loadOfAsMany(path: string): Promise<number> {
  const document = scratchPath('owl-derived.nt');
  const file = new TripleFile(document);
  const engine = await openLmdbEngine(path);
  const snapshot = engine.snapshot();
  for (const { op, rows, columns } of snapshot.changes(snapshot.tx)) {
    if (op !== 'assert') continue;
    const idsOf = (name: 's' | 'p' | 'o') =>
      Array.from({ length: rows }, (_, row) =>
        idOfHalves(columns[name][2 * row] as number, columns[name][2 * row + 1] as number),
      );
    const [s, p, o] = [idsOf('s'), idsOf('p'), idsOf('o')].map((ids) => decodeIds(snapshot, ids));
    for (let row = 0; row < rows; row++) {
      const texts = [s, p, o].map((column) => {
        const term = column?.[row];
        return term?.termType === 'NamedNode' ? iri(term.value) : string(term?.value ?? '');
      });
      file.add(...(texts as [string, string, string]));
    }
  }
  snapshot.close();
  await engine.close();
  file.close();
  const other = scratchPath('owl-as-many.svc');
  const store = await openStore(other);
  const used = await cpuOf(() => store.load({ path: document }));
  await store.close();
  removeStore(other);
  return used;
}

/** The least mean of commits that are measured together, of both stores in turn. */
async function commitBoth(path: string, plainPath: string, commits: number, cpuMs: Record<string, number>) {
  const stores = [
    ['with the ontology', await openStore(path, { features: ['owl'] })],
    ['without', await openStore(plainPath)],
  ] as const;
  for (let first = 0; first < commits; first += TOGETHER) {
    for (const [name, store] of stores) {
      const students = await Promise.all(Array.from({ length: TOGETHER }, (_, at) => studentOf(first + at)));
      for (const change of ['assert', 'retract'] as const) {
        const used = await commitAll(store, change, students);
        const what = `${change} ten facts ${name}`;
        cpuMs[what] = Math.min(cpuMs[what] ?? Number.POSITIVE_INFINITY, used);
      }
    }
  }
  for (const [, store] of stores) await store.close();
}

async function commitAll(store: Store, change: 'assert' | 'retract', students: readonly Quad[][]): Promise<number> {
  const used = await cpuOf(async () => {
    for (const quads of students) await store.transact({ [change]: quads });
  });
  return used / students.length;
}

async function studentOf(number: number): Promise<Quad[]> {
  const { readDocument } = await import('../../engine/rdf/formats/reader.js');
  return readDocument(newStudent(number).join('\n'), {
    format: 'ntriples',
    sourceName: 'a new student',
    blankNode: () => terms.blankNode('none'),
  });
}
