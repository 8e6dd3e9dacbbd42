/** Datatypes that the tag of an id tells by itself; of integers and other typed literals more of the id does. */

import { XSD } from '../../rdf/terms.js';
import { TAG } from './layout.js';

const RDF_NS = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

export const DATATYPE_OF_TAG: Readonly<Record<number, string>> = {
  [TAG.string]: `${XSD}string`,
  [TAG.langString]: `${RDF_NS}langString`,
  [TAG.dirLangString]: `${RDF_NS}dirLangString`,
  [TAG.decimal]: `${XSD}decimal`,
  [TAG.boolean]: `${XSD}boolean`,
  [TAG.date]: `${XSD}date`,
  [TAG.dateTime]: `${XSD}dateTime`,
  [TAG.dateTimeMs]: `${XSD}dateTime`,
  [TAG.double]: `${XSD}double`,
  [TAG.float]: `${XSD}float`,
};
