/**
 * Entities under their own addresses: /entity/{iri} in the form that the client accepts or that the path pins, /preview,
 * and the description of the service. An IRI stands in the path percent-encoded once, or in the parameter `iri`.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { SvcError } from '../../../engine/base/errors.js';
import { acceptedTypes, chooseType } from '../answers/negotiation.js';
import { wantsPage } from '../pages/error-page.js';
import { pageHeaders } from '../pages/markup.js';
import { requestOf } from '../request/parameters.js';
import { mementoHeaders, mementoInstant } from './memento.js';
import { formsOf, type Incoming, type Translator } from './translator.js';

const PINNED = /\/(json|ttl|html)$/;
/** What the last part of a path pins. */
const PIN_TYPES: Readonly<Record<string, string>> = {
  json: 'application/ld+json',
  ttl: 'text/turtle',
  html: 'text/html',
};

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new SvcError('invalid_request', `the path is not percent-encoded rightly: ${text.slice(0, 200)}`, { cause });
  }
}

/** The IRI of a request below `prefix`, and the form that its path pins. */
function namedIn(
  { path, parameters }: Incoming,
  prefix: string,
): { readonly iri: string; readonly pin: string | null } {
  const rest = path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : '';
  if (rest === '') {
    const [iri, ...more] = parameters.getAll('iri');
    if (iri === undefined || iri === '' || more.length > 0)
      throw new SvcError('invalid_request', "missing 'iri' parameter");
    return { iri, pin: null };
  }
  const pin = PINNED.exec(rest)?.[1] ?? null;
  return { iri: decode(pin === null ? rest : rest.replace(PINNED, '')), pin };
}

/** Whether a browser is led to an entity, in no form that the path pins. */
export function opensEntity(path: string, headers: IncomingHttpHeaders): boolean {
  return /^\/entity\/./.test(path) && !PINNED.test(path) && wantsPage(path, headers);
}

/** Types that stand for another one. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'application/json': 'application/ld+json',
  'application/x-turtle': 'text/turtle',
};

export const translateEntity: Translator = async (incoming) => {
  const { message, operation, parameters } = incoming;
  const { iri, pin } = namedIn(incoming, '/entity');
  const forms = formsOf(operation);
  const pinned = pin === null ? undefined : forms.get(PIN_TYPES[pin] as string);
  // Whatever is not data is the page: browsers send long lists.
  const [accepted = 'text/html'] = acceptedTypes(message.headers, [
    'text/html',
    ...forms.keys(),
    ...Object.keys(SYNONYMS),
  ]);
  const representation = pinned ?? forms.get(SYNONYMS[accepted] ?? accepted) ?? 'html';
  const instant = mementoInstant(message.headers);
  // Undeclared parameters belong to whoever put them there: entities report none (wire shapes, 2).
  const { properties = {} } = operation.request;
  const known = new URLSearchParams([...parameters].filter(([name]) => Object.hasOwn(properties, name)));
  const declared = requestOf(known, operation.request);
  return {
    request: { ...declared, ...(instant && { valid_at: instant.iso }), iri },
    representation,
    opensPage: opensEntity(incoming.path, message.headers),
    shape: ({ mediaType }) => ({
      headers: {
        Vary: 'Accept, Accept-Datetime',
        ...mementoHeaders(incoming, instant),
        ...(mediaType.startsWith('text/html') && pageHeaders()),
      },
    }),
  };
};

export const translatePreview: Translator = async (incoming) => {
  const { message, operation, configuration } = incoming;
  const { iri } = namedIn(incoming, '/preview');
  const [accepted] = acceptedTypes(message.headers, ['text/html', 'application/json']);
  const html = formsOf(operation).get('text/html') ?? 'html';
  return {
    request: { iri },
    representation: accepted === 'application/json' ? 'body' : html,
    // A card is there to be shown by others; those that may are listed.
    shape: ({ mediaType }) => ({
      headers: {
        Vary: 'Accept',
        ...(mediaType.startsWith('text/html') && pageHeaders(configuration.server.cors_allowed_origins)),
      },
    }),
  };
};

export const translateVoid: Translator = async ({ message, operation, baseUrl }) => {
  const forms = formsOf(operation);
  const accepted = chooseType(message.headers, [...forms.keys()]);
  return {
    request: { base_url: baseUrl },
    representation: forms.get(accepted) as string,
    shape: () => ({ headers: { Vary: 'Accept' } }),
  };
};
