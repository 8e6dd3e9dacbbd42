/** Client of svc, a knowledge-graph store, over HTTP. */
export { type CallOptions, type ClientOptions, type QueryFields, SvcClient, type UpdateResult } from './client.js';
export { SvcError } from './errors.js';
export type { Operations } from './operations.js';
export type { Row, Term } from './rows.js';
