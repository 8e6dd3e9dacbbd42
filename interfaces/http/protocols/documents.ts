/**
 * A document as the body of a request whose operation takes one, in any format of RDF: the other fields stand in the
 * parameters of the URL, and `base` is what relative IRIs stand below. Such a body may have any size, unless the operation
 * holds all of it.
 */

import { showValue } from '../../../engine/base/errors.js';
import { iriFault } from '../../../engine/rdf/formats/input/term-checks.js';
import { FORMATS, type Format } from '../../../engine/rdf/formats/registry.js';
import { Refusal } from '../answers/refusal.js';
import { mediaTypeOf, readDocumentText } from '../request/body.js';
import { requestOf } from '../request/parameters.js';
import { type Asked, type Incoming, takeDocument } from './translator.js';

/** By media type. Other names of the formats are too general: such a body may be something else. */
const DOCUMENT_FORMATS: ReadonlyMap<string, Format> = new Map(
  FORMATS.map(({ name, mediaTypes }) => [mediaTypes[0] as string, name]),
);

export const DOCUMENT_TYPES: readonly string[] = [...DOCUMENT_FORMATS.keys()];

/** The format of the document that a request brings; null = it brings its fields as JSON. */
export function documentFormat({ message, operation }: Incoming): Format | null {
  if (operation.payload === undefined && operation.textPayload === undefined) return null;
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
  if (operation.textPayload !== undefined) return askWithText(incoming, { request, format, baseIri });
  const { bytes, release } = await takeDocument(incoming);
  const name = operation.payload as string;
  const base = baseIri === undefined ? {} : { baseIri };
  return { request, representation: 'body', documents: [{ kind: 'bytes', bytes, name, format, ...base }], release };
}

/** The document becomes a field of the request, beside the fields that tell of it. */
async function askWithText(
  { message, operation, bodyLimit }: Incoming,
  { request, format, baseIri }: { request: Asked['request']; format: Format; baseIri: string | undefined },
): Promise<Asked> {
  if (request.format !== undefined && request.format !== format) {
    throw new Refusal(
      'invalid_request',
      `'format' is ${showValue(request.format)}, but the Content-Type says that the body is ${format}`,
    );
  }
  const field = operation.textPayload as string;
  const base = baseIri === undefined ? {} : { base: baseIri };
  const text = await readDocumentText(message, bodyLimit);
  return { request: { ...request, ...base, [field]: text, format }, representation: 'body' };
}
