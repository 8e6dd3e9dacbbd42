/**
 * RDF/JS terms (https://rdf.js.org/data-model-spec/) and the one factory of the house.
 * `rdf-data-factory` stands behind this file: small, without dependencies, RDF 1.2 directions and
 * triple terms included; forty lines of our own would replace it.
 */

import type * as RDF from '@rdfjs/types';
import { DataFactory as Factory } from 'rdf-data-factory';

export type Term = RDF.Term;
export type NamedNode = RDF.NamedNode;
export type BlankNode = RDF.BlankNode;
export type Literal = RDF.Literal;
export type Quad = RDF.Quad;
export type { RDF };

export const terms: RDF.DataFactory<RDF.Quad> = new Factory<RDF.Quad>();

export const XSD = 'http://www.w3.org/2001/XMLSchema#';
export const RDF_NS = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
export const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';

export const XSD_STRING = `${XSD}string`;
export const RDF_LANG_STRING = `${RDF_NS}langString`;
export const RDF_DIR_LANG_STRING = `${RDF_NS}dirLangString`;

/** The graph of quads that name no graph (wire-shapes 1.2). */
export const ROOT_GRAPH_IRI = 'urn:svc:graph:root';
