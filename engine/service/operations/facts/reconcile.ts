/** The reconciliation service of OpenRefine (version 0.2 of its protocol): which entities the cells of a table may mean. */

import { SvcError, showValue } from '../../../base/errors.js';
import { isObject } from '../../../base/objects.js';
import { compareCodePoints, localPart } from '../../../base/text.js';
import { terms } from '../../../rdf/terms.js';
import { typesOf, valuesOf } from '../../../search/spotlight.js';
import type { StorageSnapshot } from '../../../storage/seam/scan.js';
import { nullable, type Static, Type } from '../../requests/schema.js';
import { baseUrlField, baseUrlOf } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';

const LIMIT = 5;
const LIMIT_MAX = 1000;

const query = Type.Object({
  query: Type.String('the name'),
  type: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], 'IRI of a type, or several')),
  limit: Type.Optional(nullable(Type.Integer(), `most candidates, default ${LIMIT}`)),
});

type Query = Static<typeof query>;

function manifestOf(baseUrl: string) {
  return {
    versions: ['0.2'],
    name: 'svc Knowledge Graph',
    identifierSpace: 'https://svc.dev/entity/',
    schemaSpace: 'https://svc.dev/ontology/',
    view: { url: `${baseUrl}/entity/{{id}}` },
    preview: { url: `${baseUrl}/preview/{{id}}`, width: 400, height: 300 },
    defaultTypes: [],
  };
}

/** The smallest label by the first predicate that gives any, or the last part of the IRI. */
function nameOf(snapshot: StorageSnapshot, iri: string, predicates: readonly string[]): string {
  for (const predicate of predicates) {
    const labels = valuesOf(snapshot, iri, terms.namedNode(predicate)).filter(({ termType }) => termType === 'Literal');
    const [smallest] = labels.map(({ value }) => value).sort(compareCodePoints);
    if (smallest !== undefined) return smallest;
  }
  return localPart(iri);
}

function typesOfQuery({ type }: Query): readonly string[] | undefined {
  if (type === undefined || type === null) return undefined;
  return typeof type === 'string' ? [type] : type;
}

export const reconcile = defineOperation({
  name: 'reconcile',
  summary: 'Match the cells of a table with entities, as OpenRefine asks',
  access: 'read',
  request: Type.Object({
    queries: Type.Optional(Type.Unknown('by names of the caller: {"query", "type", "limit"}')),
    base_url: Type.Optional(baseUrlField),
  }),
  response: Type.Record(
    Type.String(),
    Type.Unknown(),
    'without queries what the service is; with them {"result": [...]} for each',
  ),
  async handler({ store, configuration, control, expandIri }, request) {
    const { queries } = request;
    if (queries === undefined) return { kind: 'body', body: manifestOf(baseUrlOf(request, configuration)) };
    const body: Record<string, unknown> = {};
    const { threshold } = configuration.resolution;
    const { label_predicates: labelPredicates } = configuration.search;
    const { signal, flag } = control;
    const checked = Object.entries(checkQueries(queries)).map(([key, one]) => {
      return { key, one, limit: Math.min(Math.max(one.limit ?? LIMIT, 1), LIMIT_MAX) };
    });
    const asked = checked.filter(({ one }) => one.query !== '');
    const names = asked.map(({ one, limit }) => ({
      name: one.query,
      // Two, so that an exact match is known to be the only one.
      topK: Math.max(2, limit),
      types: typesOfQuery(one)?.map(expandIri ?? String),
    }));
    const matches = await store.resolveNames(names, { threshold, labelPredicates, signal, flag });
    const byKey = new Map(asked.map(({ key }, at) => [key, matches[at] ?? []]));
    const snapshot = store.snapshot();
    try {
      for (const { key, limit } of checked) {
        const found = byKey.get(key) ?? [];
        const isSingle = found[0]?.score === 1 && found[1]?.score !== 1;
        const result = found.slice(0, limit).map(({ iri, score }, at) => ({
          id: iri,
          name: nameOf(snapshot.storage, iri, labelPredicates),
          type: typesOf(snapshot.storage, iri).map((type) => ({
            id: type,
            name: nameOf(snapshot.storage, type, labelPredicates),
          })),
          score,
          match: at === 0 && isSingle,
        }));
        Object.defineProperty(body, key, { value: { result }, enumerable: true });
      }
    } finally {
      snapshot.close();
    }
    return { kind: 'body', body };
  },
  projections: { http: [{ method: 'POST', path: '/reconcile', request: 'protocol' }] },
});

function checkQueries(queries: unknown): Readonly<Record<string, Query>> {
  if (!isObject(queries)) {
    throw new SvcError('invalid_request', `field 'queries' is ${showValue(queries)}; expected an object of queries`);
  }
  for (const [key, one] of Object.entries(queries)) {
    const place = `queries.${key}`;
    if (!isObject(one))
      throw new SvcError('invalid_request', `field '${place}' is ${showValue(one)}; expected an object`);
    const { query: name, type, limit } = one;
    if (name === undefined || name === null)
      throw new SvcError('invalid_request', `missing '${place}.query' parameter`);
    const faulty = (field: string, value: unknown, expected: string) =>
      new SvcError('invalid_request', `field '${place}.${field}' is ${showValue(value)}; expected ${expected}`);
    if (typeof name !== 'string') throw faulty('query', name, 'a string');
    if (limit !== undefined && limit !== null && !Number.isInteger(limit)) throw faulty('limit', limit, 'an integer');
    const types = Array.isArray(type) ? type : [type ?? ''];
    if (!types.every((entry) => typeof entry === 'string')) throw faulty('type', type, 'an IRI or a list of IRIs');
  }
  return queries as Readonly<Record<string, Query>>;
}
