/** The description of the service, found where the suite looks for it: at the endpoint of queries. */

import { type Quad, RDF_NS, type Term } from '../../../engine/rdf/terms.js';
import { Failure, type TestCase } from '../cases.js';
import { ManifestGraph } from '../manifest-graph.js';
import { libraryReader } from '../readers.js';
import type { LiveServer } from './live-server.js';

const SD = 'http://www.w3.org/ns/sparql-service-description#';

interface Property {
  readonly domain: string;
  /** The class of its objects; null for any IRI. */
  readonly range: string | null;
}

/** The properties of the vocabulary (SPARQL 1.1 Service Description, 3.4). */
const PROPERTIES: Readonly<Record<string, Property>> = {
  endpoint: { domain: 'Service', range: null },
  feature: { domain: 'Service', range: null },
  defaultEntailmentRegime: { domain: 'Service', range: null },
  entailmentRegime: { domain: 'NamedGraph', range: null },
  defaultSupportedEntailmentProfile: { domain: 'Service', range: null },
  supportedEntailmentProfile: { domain: 'NamedGraph', range: null },
  extensionFunction: { domain: 'Service', range: null },
  extensionAggregate: { domain: 'Service', range: null },
  languageExtension: { domain: 'Service', range: null },
  supportedLanguage: { domain: 'Service', range: null },
  propertyFeature: { domain: 'Service', range: null },
  defaultDataset: { domain: 'Service', range: 'Dataset' },
  availableGraphs: { domain: 'Service', range: 'GraphCollection' },
  resultFormat: { domain: 'Service', range: null },
  inputFormat: { domain: 'Service', range: null },
  defaultGraph: { domain: 'Dataset', range: 'Graph' },
  namedGraph: { domain: 'Dataset', range: 'NamedGraph' },
  name: { domain: 'NamedGraph', range: null },
  graph: { domain: 'NamedGraph', range: 'Graph' },
};
const CLASSES = new Set(
  'Service Feature Language Function Aggregate Dataset Graph NamedGraph GraphCollection'.split(' '),
);
const LANGUAGES = new Set('SPARQL10Query SPARQL11Query SPARQL11Update'.split(' '));
const FEATURES = new Set(
  'DereferencesURIs UnionDefaultGraph RequiresDataset EmptyGraphs BasicFederatedQuery'.split(' '),
);

export async function checkServiceDescription({ id }: TestCase, server: LiveServer): Promise<void> {
  await server.clear();
  const quads = await describe(server);
  if (id.endsWith('#has-endpoint-triple')) checkEndpoint(quads, server);
  if (id.endsWith('#conforms-to-schema')) checkSchema(quads);
}

async function describe(server: LiveServer): Promise<Quad[]> {
  const { status, headers, body } = await server.send({
    method: 'GET',
    target: '/query',
    headers: { accept: 'text/turtle, application/rdf+xml;q=0.5' },
  });
  if (status !== 200) throw new Failure(`status ${status}: ${body}`);
  if (!headers['content-type']?.startsWith('text/turtle')) throw new Failure(`it is ${headers['content-type']}`);
  return libraryReader.parse(body, 'turtle', `${server.origin}/query`);
}

function checkEndpoint(quads: readonly Quad[], server: LiveServer): void {
  const endpoints = quads
    .filter(({ predicate }) => predicate.value === `${SD}endpoint`)
    .map(({ object }) => object.value);
  if (endpoints.length !== 1 || endpoints[0] !== `${server.origin}/query`) {
    throw new Failure(`the endpoints are ${endpoints.join(' ')}, expected ${server.origin}/query`);
  }
}

/** Only words of the vocabulary, on nodes of the classes they belong to, and what each node needs. */
function checkSchema(quads: readonly Quad[]): void {
  const graph = new ManifestGraph(quads);
  const isA = (term: Term, name: string) => graph.all(term, `${RDF_NS}type`).some(({ value }) => value === SD + name);
  for (const { subject, predicate, object } of quads) {
    if (
      predicate.value === `${RDF_NS}type` &&
      object.value.startsWith(SD) &&
      !CLASSES.has(object.value.slice(SD.length))
    ) {
      throw new Failure(`there is no class ${object.value}`);
    }
    if (!predicate.value.startsWith(SD)) continue;
    const name = predicate.value.slice(SD.length);
    const property = PROPERTIES[name];
    if (property === undefined) throw new Failure(`there is no property ${predicate.value}`);
    // A named graph is one by its property; its type is not needed.
    if (property.domain !== 'NamedGraph' && !isA(subject, property.domain)) {
      throw new Failure(`the subject of sd:${name} is no sd:${property.domain}`);
    }
    if (property.range === null && object.termType !== 'NamedNode') throw new Failure(`sd:${name} needs an IRI`);
    if (property.range === 'Dataset' || property.range === 'Graph') {
      if (!isA(object, property.range)) throw new Failure(`the object of sd:${name} is no sd:${property.range}`);
    }
    if (name === 'namedGraph') checkNamedGraph(graph, object);
    const known = name === 'feature' ? FEATURES : name === 'supportedLanguage' ? LANGUAGES : null;
    if (known !== null && object.value.startsWith(SD) && !known.has(object.value.slice(SD.length))) {
      throw new Failure(`there is no ${object.value}`);
    }
  }
  const services = graph.subjectsOfType.get(`${SD}Service`) ?? [];
  if (services.length !== 1) throw new Failure(`${services.length} services are described`);
  const languages = graph.all(services[0] as Term, `${SD}supportedLanguage`).map(({ value }) => value.slice(SD.length));
  if (!languages.includes('SPARQL11Query')) throw new Failure('it does not say that it takes SPARQL 1.1 queries');
}

function checkNamedGraph(graph: ManifestGraph, node: Term): void {
  if (graph.all(node, `${SD}name`).length !== 1) throw new Failure('a named graph needs one sd:name');
}
