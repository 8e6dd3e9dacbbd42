/**
 * Requests from the parameters of a URL: each becomes what the schema of its field says, and what does not fit stays
 * text, for the check of the operation to name. A parameter that stands there twice is refused unless its field is a list.
 */

import { SvcError } from '../../../engine/base/errors.js';
import { addTo } from '../../../engine/base/maps.js';
import type { Schema, SchemaNode } from '../../../engine/service/requests/schema.js';

const INTEGER = /^[+-]?\d+$/;

function toValue(text: string, node: SchemaNode): unknown {
  switch (node.type) {
    case 'integer':
      return INTEGER.test(text) ? Number(text) : text;
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      if (text === 'true' || text === '1' || text === '') return true;
      return text === 'false' || text === '0' ? false : text;
    default:
      return text;
  }
}

/** The last part of a path where its template has a variable: `{name}` is percent-encoded once. */
export function pathVariable(template: string, path: string): Record<string, string> {
  const [, before = '', name] = /^(.*)\{(\w+)\}$/.exec(template) ?? [];
  if (name === undefined) return {};
  try {
    return { [name]: decodeURIComponent(path.slice(before.length)) };
  } catch (cause) {
    throw new SvcError('invalid_request', `the path is not percent-encoded rightly: ${path.slice(0, 200)}`, { cause });
  }
}

export function requestOf(parameters: URLSearchParams, schema: Schema): Record<string, unknown> {
  const { properties = {} } = schema as SchemaNode;
  const textsByName = new Map<string, string[]>();
  for (const [name, text] of parameters) {
    addTo(textsByName, name, text);
  }
  const fields = [...textsByName].map(([name, texts]): [string, unknown] => {
    const node = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (node?.type === 'array') return [name, texts];
    if (texts.length > 1) {
      throw new SvcError('invalid_request', `'${name}' stands in the request ${texts.length} times`);
    }
    return [name, node === undefined ? texts[0] : toValue(texts[0] as string, node)];
  });
  // Whatever a parameter is called, it becomes a field and nothing else.
  return Object.fromEntries(fields);
}
