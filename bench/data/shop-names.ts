/** Names of the shop data: the public vocabulary of BSBM, so that its queries run over the data. */
import { iri } from './ntriples.js';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
export const FOAF = 'http://xmlns.com/foaf/0.1/';
export const DC = 'http://purl.org/dc/elements/1.1/';
export const REV = 'http://purl.org/stuff/rev#';
export const COUNTRY_PLACE = 'http://downlode.org/rdf/iso-3166/countries#';
const BERLIN = 'http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/';
export const BSBM = `${BERLIN}vocabulary/`;
export const INSTANCES = `${BERLIN}instances/`;
export const TYPE = iri(`${RDF}type`);

const own = (name: string): string => iri(BSBM + name);
const numbered = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => own(`${name}${i + 1}`));

export const predicate = {
  label: iri(`${RDFS}label`),
  comment: iri(`${RDFS}comment`),
  subClassOf: iri(`${RDFS}subClassOf`),
  publisher: iri(`${DC}publisher`),
  date: iri(`${DC}date`),
  homepage: iri(`${FOAF}homepage`),
  country: own('country'),
  producer: own('producer'),
  productFeature: own('productFeature'),
  product: own('product'),
  vendor: own('vendor'),
  price: own('price'),
  validFrom: own('validFrom'),
  validTo: own('validTo'),
  deliveryDays: own('deliveryDays'),
  offerWebpage: own('offerWebpage'),
  reviewFor: own('reviewFor'),
  reviewDate: own('reviewDate'),
  ratings: numbered('rating', 4),
  numbers: numbered('productPropertyNumeric', 6),
  texts: numbered('productPropertyTextual', 6),
} as const;
