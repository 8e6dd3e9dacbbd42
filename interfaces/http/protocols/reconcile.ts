/** Requests of OpenRefine: a JSON body, or a form whose parameter `queries` is the JSON text. */

import { SvcError } from '../../../engine/base/errors.js';
import { parseJsonValue } from '../../../engine/service/requests/json-request.js';
import { mediaTypeOf, readForm, readJson, refuseType } from '../request/body.js';
import type { Incoming, Translator } from './translator.js';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

async function requestOf({ message, bodyLimit, readers }: Incoming): Promise<Record<string, unknown>> {
  const type = mediaTypeOf(message);
  if (type === JSON_TYPE) {
    const reading = { limit: bodyLimit, readers, payload: undefined, declared: ['queries'] };
    return (await readJson(message, reading)).request;
  }
  if (type !== FORM) throw refuseType(type, [JSON_TYPE, FORM]);
  const [text, ...more] = (await readForm(message, ['queries'], { limit: bodyLimit, readers })).getAll('queries');
  if (more.length > 0) throw new SvcError('invalid_request', "the form has several 'queries' parameters");
  return text === undefined ? {} : { queries: parseJsonValue(Buffer.from(text)) };
}

export const translateReconcile: Translator = async (incoming) => ({
  request: { ...(await requestOf(incoming)), base_url: incoming.baseUrl },
  representation: 'body',
});
