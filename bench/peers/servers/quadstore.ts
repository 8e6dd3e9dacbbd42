/** Serves Quadstore through its own engine. */
import { serveLines } from './line-server.js';
import {
  booleanBody,
  installed,
  type N3Package,
  quadsBody,
  type RdfQuad,
  type RdfRow,
  readQuads,
  rowsBody,
} from './rdfjs-results.js';

const BATCH_QUADS = 5000;

interface QuadstorePackage {
  readonly Quadstore: new (
    options: object,
  ) => {
    open(): Promise<void>;
    close(): Promise<void>;
    multiPut(quads: readonly RdfQuad[]): Promise<unknown>;
  };
}

interface EnginePackage {
  readonly Engine: new (
    store: object,
  ) => {
    queryBoolean(text: string): Promise<boolean>;
    queryQuads(text: string): Promise<AsyncIterable<RdfQuad>>;
    queryBindings(text: string): Promise<AsyncIterable<RdfRow>>;
  };
}

export async function serveQuadstore(): Promise<void> {
  const { ClassicLevel } = installed<{ readonly ClassicLevel: new (path: string) => object }>('classic-level');
  const { Quadstore } = installed<QuadstorePackage>('quadstore');
  const { Engine } = installed<EnginePackage>('quadstore-comunica');
  const n3 = installed<N3Package>('n3');
  const backend = new ClassicLevel(process.env.SVC_BENCH_STORE as string);
  const store = new Quadstore({ backend, dataFactory: n3.DataFactory });
  await store.open();
  const engine = new Engine(store);
  await serveLines({
    async load(file) {
      let batch: RdfQuad[] = [];
      let total = 0;
      const put = async (): Promise<void> => {
        await store.multiPut(batch);
        total += batch.length;
        batch = [];
      };
      for await (const quad of readQuads(n3, file)) {
        batch.push(quad);
        if (batch.length === BATCH_QUADS) await put();
      }
      await put();
      return total;
    },
    async query(text, form) {
      if (form === 'ASK') return booleanBody(await engine.queryBoolean(text));
      if (form === 'CONSTRUCT' || form === 'DESCRIBE') return quadsBody(await engine.queryQuads(text));
      return rowsBody(await engine.queryBindings(text));
    },
    close: () => store.close(),
  });
}
