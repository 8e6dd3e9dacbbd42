/** Triple pattern fragments: a page of the triples that match a pattern, with the controls to turn it. */

import type { Quad } from '../../../rdf/terms.js';
import { terms } from '../../../rdf/terms.js';
import { type FragmentParameters, pageUrl, toPattern } from '../../linked-data/fragment-pattern.js';
import { type Fragment, readFragment } from '../../linked-data/fragments.js';
import { HYDRA, integer, VOID, word } from '../../linked-data/vocabulary.js';
import { termToJson } from '../../requests/json.js';
import { iri, Type } from '../../requests/schema.js';
import { baseUrlField, baseUrlOf, pathPrefix } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';

const PAGE_SIZE_DEFAULT = 100;
const PAGE_SIZE_MAX = 1000;

const REPRESENTATIONS = [
  { name: 'turtle', mediaType: 'text/turtle' },
  { name: 'ntriples', mediaType: 'application/n-triples' },
] as const;

const PREFIXES = { hydra: HYDRA, void: VOID };

interface Page extends Fragment {
  readonly parameters: FragmentParameters;
  readonly page: number;
  readonly pageSize: number;
}

/** `before`: what stands before the path. */
function controlsOf({ parameters, page, pageSize, total }: Page, before: string): { next?: string; previous?: string } {
  return {
    ...(page * pageSize < total ? { next: `${before}${pageUrl(parameters, page + 1, pageSize)}` } : {}),
    ...(page > 1 ? { previous: `${before}${pageUrl(parameters, page - 1, pageSize)}` } : {}),
  };
}

/** The triples of the page, and what is said about it. */
function describe(fragment: Page, baseUrl: string): Quad[] {
  const { parameters, page, pageSize, total, triples } = fragment;
  const node = terms.namedNode(`${baseUrl}${pageUrl(parameters, page, pageSize)}`);
  const { next, previous } = controlsOf(fragment, baseUrl);
  const link = (name: string, url: string | undefined): Quad[] =>
    url === undefined ? [] : [terms.quad(node, word(HYDRA, name), terms.namedNode(url))];
  return [
    ...triples.map((one) =>
      terms.quad(one.subject as Quad['subject'], one.predicate as Quad['predicate'], one.object as Quad['object']),
    ),
    terms.quad(node, word(VOID, 'triples'), integer(total)),
    terms.quad(node, word(HYDRA, 'totalItems'), integer(total)),
    ...link('next', next),
    ...link('previous', previous),
  ];
}

export const fragments = defineOperation({
  name: 'fragments',
  summary: 'Page through the triples that match a pattern',
  access: 'read',
  request: Type.Object({
    subject: Type.Optional(iri({ minLength: 1, description: 'IRI, or _:label' })),
    predicate: Type.Optional(iri({ minLength: 1, description: 'IRI' })),
    object: Type.Optional(iri('IRI, a literal as in N-Triples, or the text of a plain string')),
    page: Type.Optional(Type.Integer({ minimum: 1, description: 'from 1' })),
    pageSize: Type.Optional(Type.Integer({ minimum: 1, description: 'triples of a page; default 100, at most 1000' })),
    base_url: Type.Optional(baseUrlField),
  }),
  response: Type.Object({
    triples: Type.Array(Type.Object({ subject: Type.String(), predicate: Type.String(), object: Type.Unknown() })),
    totalCount: Type.Integer(),
    page: Type.Integer(),
    pageSize: Type.Integer(),
    controls: Type.Object({ next: Type.Optional(Type.String()), previous: Type.Optional(Type.String()) }),
  }),
  representations: REPRESENTATIONS,
  async handler({ store, control, configuration, representation }, request) {
    const { subject, predicate, object, page = 1 } = request;
    const pageSize = Math.min(request.pageSize ?? PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX);
    const parameters = { subject, predicate, object };
    const pattern = await toPattern(parameters);
    const snapshot = store.snapshot();
    let fragment: Fragment;
    try {
      fragment = await readFragment(snapshot.storage, pattern, (page - 1) * pageSize, pageSize, control);
    } finally {
      snapshot.close();
    }
    const whole: Page = { ...fragment, parameters, page, pageSize };
    const form = REPRESENTATIONS.find(({ name }) => name === representation);
    if (form !== undefined) {
      const { writeQuads } = await import('../../../rdf/formats/writer.js');
      const quads = describe(whole, baseUrlOf(request, configuration));
      const chunks = writeQuads([quads], { format: form.name, prefixes: PREFIXES });
      return { kind: 'document', mediaType: `${form.mediaType}; charset=utf-8`, chunks };
    }
    const triples = fragment.triples.map((one) => ({
      subject: termToJson(one.subject) as string,
      predicate: one.predicate.value,
      object: termToJson(one.object),
    }));
    const controls = controlsOf(whole, pathPrefix(configuration));
    return { kind: 'body', body: { triples, totalCount: fragment.total, page, pageSize, controls } };
  },
  projections: { http: [{ method: 'GET', path: '/fragments', request: 'parameters' }] },
});
