/**
 * The service and its data in their own words: SPARQL 1.1 Service Description and VoID, with counts that are
 * those of this moment. Graphs are told one after the other, however many there are.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { frozenFacts } from '../../graphs/frozen-facts.js';
import { findGraph, registeredIds } from '../../query/registry/graph-rows.js';
import { isQuarantine, isTombstones, META_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { sortByCodePoint } from '../../rdf/canonical/lines.js';
import { type Quad, RDF_NS, ROOT_GRAPH_IRI, terms } from '../../rdf/terms.js';
import { decodeIds, ROOT_ONLY } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { Configuration } from '../configuration/configuration.js';
import { countTriples, type GraphFigures, predicatesOf } from '../facts/graph-figures.js';
import { distinctObjects } from '../reads/vocabulary.js';
import { FORMATS_NS, integer, SD, VOID, word } from './vocabulary.js';

const GRAPHS_AT_ONCE = 256;

const RESULT_FORMATS = [
  'SPARQL_Results_JSON',
  'SPARQL_Results_XML',
  'SPARQL_Results_CSV',
  'SPARQL_Results_TSV',
  'Turtle',
  'N-Triples',
];

const FOAF = 'http://xmlns.com/foaf/0.1/';
const TYPE = word(RDF_NS, 'type');
const ENTAILMENT = 'http://www.w3.org/ns/entailment/';

export interface DescriptionInput {
  readonly snapshot: StorageSnapshot;
  readonly figures: GraphFigures;
  readonly configuration: Configuration;
  readonly baseUrl: string;
  readonly control: Control;
}

/** The quads of the description in batches, subject by subject. */
export async function* describeService(input: DescriptionInput): AsyncGenerator<Quad[]> {
  const { snapshot, figures, configuration, baseUrl, control } = input;
  const at = (path: string) => terms.namedNode(`${baseUrl}${path}`);
  const [document, service] = [at('/.well-known/void'), at('/query')];
  const [dataset, defaultGraph] = [at('/.well-known/void#dataset'), at('/.well-known/void#default-graph')];
  yield [
    terms.quad(document, TYPE, word(VOID, 'DatasetDescription')),
    terms.quad(document, word(FOAF, 'primaryTopic'), dataset),
  ];
  yield serviceQuads(service, dataset, configuration);
  yield [
    terms.quad(dataset, TYPE, word(SD, 'Dataset')),
    terms.quad(dataset, TYPE, word(VOID, 'Dataset')),
    terms.quad(dataset, word(SD, 'defaultGraph'), defaultGraph),
    terms.quad(dataset, word(VOID, 'sparqlEndpoint'), service),
    terms.quad(dataset, word(VOID, 'uriLookupEndpoint'), at('/entity?iri=')),
    ...(await vocabularies(snapshot, control)).map((namespace) =>
      terms.quad(dataset, word(VOID, 'vocabulary'), terms.namedNode(namespace)),
    ),
    terms.quad(defaultGraph, TYPE, word(SD, 'Graph')),
    terms.quad(defaultGraph, TYPE, word(VOID, 'Dataset')),
    terms.quad(defaultGraph, word(VOID, 'triples'), integer(figures.triples)),
    terms.quad(defaultGraph, word(VOID, 'distinctSubjects'), integer(figures.subjects)),
    terms.quad(defaultGraph, word(VOID, 'properties'), integer(figures.predicates)),
  ];
  yield* namedGraphs(input, dataset);
}

function serviceQuads(
  service: Quad['subject'],
  dataset: Quad['object'],
  { query, federation, features }: Configuration,
): Quad[] {
  const says = (name: string, object: Quad['object']) => terms.quad(service, word(SD, name), object);
  const isFederated = federation.service_endpoints.length + federation.remotes.length > 0;
  return [
    terms.quad(service, TYPE, word(SD, 'Service')),
    says('endpoint', service as Quad['object']),
    says('supportedLanguage', word(SD, 'SPARQL11Query')),
    says('supportedLanguage', word(SD, 'SPARQL11Update')),
    ...RESULT_FORMATS.map((name) => says('resultFormat', word(FORMATS_NS, name))),
    ...(isFederated ? [says('feature', word(SD, 'BasicFederatedQuery'))] : []),
    says('defaultEntailmentRegime', word(ENTAILMENT, 'Simple')),
    ...(query.subclass_inference ? [says('feature', word(ENTAILMENT, 'RDFS'))] : []),
    // What follows is written into ROOT, so that it is data to every query.
    ...(features.owl ? [says('feature', word(ENTAILMENT, 'OWL-RDF-Based'))] : []),
    says('defaultDataset', dataset),
  ];
}

/** Not for overlays, and not for what the service keeps for itself. */
function isPublic(snapshot: StorageSnapshot, iri: string): boolean {
  if (iri === ROOT_GRAPH_IRI || iri === META_GRAPH_IRI || isQuarantine(iri) || isTombstones(iri)) return false;
  return findGraph(snapshot, iri)?.class === 'committed';
}

async function* namedGraphs({ snapshot, baseUrl, control }: DescriptionInput, dataset: Quad['subject']) {
  const ids = [...new Set([...snapshot.graphs(), ...registeredIds(snapshot)])];
  // Rows of frozen graphs stand in archives.
  const frozen = frozenFacts(snapshot);
  for (let from = 0; from < ids.length; from += GRAPHS_AT_ONCE) {
    const some = ids.slice(from, from + GRAPHS_AT_ONCE);
    const names = decodeIds(snapshot, some);
    const quads: Quad[] = [];
    for (const [index, id] of some.entries()) {
      const name = names[index];
      if (name?.termType !== 'NamedNode' || !isPublic(snapshot, name.value)) continue;
      const node = terms.namedNode(`${baseUrl}/.well-known/void#graph-${encodeURIComponent(name.value)}`);
      const graph = terms.namedNode(`${node.value}-content`);
      quads.push(
        terms.quad(dataset, word(SD, 'namedGraph'), node),
        terms.quad(node, TYPE, word(SD, 'NamedGraph')),
        terms.quad(node, word(SD, 'name'), name),
        terms.quad(node, word(SD, 'graph'), graph),
        terms.quad(graph, TYPE, word(SD, 'Graph')),
        terms.quad(graph, word(VOID, 'triples'), integer(frozen.get(name.value) ?? countTriples(snapshot, id))),
      );
    }
    yield quads;
    throwIfStopped(control, 'the description');
    await breathe();
  }
}

/** Namespaces of the predicates and classes of ROOT, sorted. */
async function vocabularies(snapshot: StorageSnapshot, control: Control): Promise<string[]> {
  const predicates = predicatesOf(snapshot, ROOT_ONLY);
  const type = snapshot.encode(TYPE);
  const rows = { graphs: ROOT_ONLY, time: CURRENT };
  const classes = type === null ? [] : await distinctObjects(snapshot, rows, type, Number.POSITIVE_INFINITY, control);
  const namespaces = new Set<string>();
  for (const term of decodeIds(snapshot, [...predicates, ...classes])) {
    const namespace = /^.*[#/]/.exec(term.termType === 'NamedNode' ? term.value : '')?.[0];
    if (namespace !== undefined) namespaces.add(namespace);
  }
  return sortByCodePoint([...namespaces]);
}
