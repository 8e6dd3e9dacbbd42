/** Serves Comunica over an N3.js store. */
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

interface ComunicaResult {
  readonly resultType: string;
  execute(): Promise<unknown>;
}

interface ComunicaPackage {
  readonly QueryEngine: new () => { query(text: string, context: object): Promise<ComunicaResult> };
}

export async function serveComunica(): Promise<void> {
  const { QueryEngine } = installed<ComunicaPackage>('@comunica/query-sparql-rdfjs');
  const n3 = installed<N3Package>('n3');
  const engine = new QueryEngine();
  const store = new n3.Store();
  await serveLines({
    async load(file) {
      for await (const quad of readQuads(n3, file)) store.addQuad(quad);
      return store.size;
    },
    async query(text) {
      const result = await engine.query(text, { sources: [store] });
      const answer = await result.execute();
      if (result.resultType === 'boolean') return booleanBody(answer as boolean);
      if (result.resultType === 'quads') return quadsBody(answer as AsyncIterable<RdfQuad>);
      return rowsBody(answer as AsyncIterable<RdfRow>);
    },
  });
}
