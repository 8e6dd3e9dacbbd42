/**
 * A document as the body of a request whose operation takes one, in any format of RDF: the other fields stand in the
 * parameters of the URL, and `base` is what relative IRIs stand below. Such a body may have any size.
 */

import { iriFault } from '../../../engine/rdf/formats/input/term-checks.js';
import { FORMATS, type Format } from '../../../engine/rdf/formats/registry.js';
import { Refusal } from '../answers/refusal.js';
import { mediaTypeOf } from '../request/body.js';
import { requestOf } from '../request/parameters.js';
import { type Asked, type Incoming, takeDocument } from './translator.js';

/** By media type. Other names of the formats are too general: such a body may be something else. */
const DOCUMENT_FORMATS: ReadonlyMap<string, Format> = new Map(
  FORMATS.map(({ name, mediaTypes }) => [mediaTypes[0] as string, name]),
);

export const DOCUMENT_TYPES: readonly string[] = [...DOCUMENT_FORMATS.keys()];

/** The format of the document that a request brings; null = it brings its fields as JSON. */
export function documentFormat({ message, operation }: Incoming): Format | null {
  if (operation.payload === undefined) return null;
  return DOCUMENT_FORMATS.get(mediaTypeOf(message)) ?? null;
}

export async function askWithDocument(incoming: Incoming, format: Format): Promise<Asked> {
  const { operation } = incoming;
  const parameters = new URLSearchParams(incoming.parameters);
  const baseIri = parameters.get('base') ?? undefined;
  const fault = baseIri === undefined ? null : iriFault(baseIri);
  if (fault !== null) throw new Refusal('invalid_request', `'base' is <${baseIri}>, which ${fault}`);
  parameters.delete('base');
  const request = requestOf(parameters, operation.request);
  const { bytes, release } = await takeDocument(incoming);
  const name = operation.payload as string;
  const base = baseIri === undefined ? {} : { baseIri };
  return { request, representation: 'body', documents: [{ kind: 'bytes', bytes, name, format, ...base }], release };
}
