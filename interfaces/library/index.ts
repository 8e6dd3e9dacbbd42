/**
 * The library: open a store, load documents, ask questions.
 *
 *     const store = await openStore('graph.db');
 *     await store.load('people.ttl');
 *     const answer = await store.query('SELECT ?s WHERE { ?s a <http://example.org/Person> }');
 *     if (answer.kind === 'select') for await (const [s] of answer.rows()) console.log(s?.value);
 *     await store.close();
 *
 * Terms and quads are RDF/JS (https://rdf.js.org/); `terms` is the factory. A `Store` is an RDF/JS
 * `Source`; `store.dataset()` is a `DatasetCore` that is read only. Every failure is an `SvcError`
 * with a code of docs/errors.md.
 */

export type { Control, Progress } from '../../engine/base/control.js';
export { ERRORS, type ErrorCode, type ErrorKind, type InputPosition, SvcError } from '../../engine/base/errors.js';
export { FORMATS, type Format, type FormatDescription } from '../../engine/rdf/formats/registry.js';
export {
  type BlankNode,
  type Literal,
  type NamedNode,
  type Quad,
  ROOT_GRAPH_IRI,
  type Term,
  terms,
} from '../../engine/rdf/terms.js';
export type { StoreDataset } from '../../engine/service/dataset.js';
export type { SkippedFile } from '../../engine/service/documents.js';
export type { Finding, Gate, GateName, StagedWrite, Verdict } from '../../engine/service/pipeline/gates.js';
export type { QuadPattern } from '../../engine/service/quad-pattern.js';
export type {
  AskAnswer,
  QueryAnswer,
  QueryOptions,
  ResultFormat,
  Row,
  SelectAnswer,
} from '../../engine/service/query.js';
export type { StoreSnapshot, TermPattern } from '../../engine/service/snapshot.js';
export { openStore, type Store, type Transaction } from '../../engine/service/store.js';
export type {
  ExportOptions,
  LoadInput,
  LoadResult,
  OpenOptions,
  StoreLoadOptions,
  Time,
  TimeOptions,
} from '../../engine/service/store-options.js';
export type { LoadSource, StorageStats, VerifyProblem, VerifyReport } from '../../engine/storage/engine.js';
