/** JSON values of answers, as the operations of the service write them. */

export { type JsonValue, LOOKS_LIKE_IRI_OR_BLANK, RawNumber, termToJson, writeJson } from '../../rdf/json-values.js';
