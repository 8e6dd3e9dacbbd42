/** Small writes into a store of episodes, without shapes and with 50 stored ones, and validation of all that it holds. */
import { invariant } from '../../engine/base/errors.js';
import { readShapes } from '../../engine/graphs/shapes/read-shapes.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { compileShapes } from '../../engine/validate/shapes/compile-shapes.js';
import { validate } from '../../engine/validate/validate.js';
import { openStore } from '../../interfaces/library/index.js';
import { median, percentile } from '../harness/figures.js';
import { writeFor } from './measure-writes.js';
import { episodeAt } from './payloads.js';

export interface ShapesTask {
  readonly task: 'episodes-shapes';
  /** A store file of its own for this run. */
  readonly store: string;
  readonly from: number;
  readonly seconds: number;
}

export interface GateFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

export interface ShapesMeasurement {
  readonly plain: GateFigures;
  readonly judged: GateFigures;
  /** Validation of the whole store with the shapes of its services and hosts. */
  readonly focusNodes: number;
  readonly validateMs: number;
}

const STORED = 50;
const WARM_UP = 100;

/** Shapes of the two classes of the data; the others are of classes that it has none of. */
function shapesOf(baseNamespace: string): string {
  const head = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix b: <${baseNamespace}> .`;
  const others = Array.from(
    { length: STORED - 2 },
    (_, at) =>
      `b:Shape${at} a sh:NodeShape ; sh:targetClass b:Kind${at} ; sh:property [ sh:path b:port ; sh:datatype xsd:integer ] , [ sh:path b:runs_on ; sh:class b:Host ] .`,
  );
  return [
    head,
    'b:ServiceShape a sh:NodeShape ; sh:targetClass b:Service ; sh:property [ sh:path rdfs:label ; sh:minCount 1 ; sh:datatype xsd:string ] , [ sh:path b:port ; sh:datatype xsd:integer ; sh:maxCount 1 ] , [ sh:path b:runs_on ; sh:class b:Host ; sh:maxCount 1 ] , [ sh:path b:depends_on ; sh:class b:Service ] .',
    'b:HostShape a sh:NodeShape ; sh:targetClass b:Host ; sh:property [ sh:path rdfs:label ; sh:minCount 1 ; sh:maxCount 1 ] .',
    ...others,
  ].join('\n');
}

export async function measureShapes({ store: path, from, seconds }: ShapesTask): Promise<ShapesMeasurement> {
  const store = await openStore(path);
  const shapes = shapesOf(store.baseNamespace);
  const ns = store.baseNamespace;
  let next = from;
  const write = async (): Promise<void> => {
    const { outcome } = await store.writeEpisode(episodeAt(next++));
    invariant(outcome === 'created', 'every episode is a new one');
  };
  const measured = async (): Promise<GateFigures> => {
    for (let done = 0; done < WARM_UP; done++) await write();
    const before = process.cpuUsage();
    const { times, elapsedMs } = await writeFor(seconds, 1, write);
    const { user, system } = process.cpuUsage(before);
    return {
      perSecond: times.length / (elapsedMs / 1000),
      p50Ms: median(times),
      p99Ms: percentile(times, 0.99),
      cpuMs: (user + system) / 1000 / times.length,
    };
  };
  const plain = await measured();
  await store.loadShapes('benchmark', shapes);
  const judged = await measured();
  const answer = await store.query(
    `SELECT (COUNT(*) AS ?n) WHERE { VALUES ?class { <${ns}Service> <${ns}Host> } ?s a ?class }`,
  );
  invariant(answer.kind === 'select', 'it is a SELECT');
  let focusNodes = 0;
  for await (const [value] of answer.rows()) focusNodes = Number(value?.value);
  await store.close();
  return { plain, judged, focusNodes, validateMs: await validateAll(path, shapes) };
}

async function validateAll(path: string, turtle: string): Promise<number> {
  const engine = await openLmdbEngine(path, { readOnly: true });
  const snapshot = engine.snapshot();
  const shapes = compileShapes((await readShapes(turtle, 'shapes', 's')).quads);
  const times: number[] = [];
  for (let run = 0; run < 3; run++) {
    const begin = performance.now();
    const results = await validate(shapes, { snapshot }, null, {});
    times.push(performance.now() - begin);
    invariant(results.count === 0, 'the episodes conform');
    results.view.close();
  }
  snapshot.close();
  await engine.close();
  return median(times);
}
