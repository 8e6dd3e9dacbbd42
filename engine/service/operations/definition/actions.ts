/** Operations that do one of several things, chosen by the field `action`. */

import { SvcError } from '../../../base/errors.js';
import { Type } from '../../requests/schema.js';
import type { Answer, OperationContext } from './operation.js';

export function actionField(names: readonly string[]) {
  return Type.Optional(Type.String(`${names.join(', ')}; default list`));
}

type Act<Request, Body> = (context: OperationContext, request: Request) => Promise<Answer<Body>>;

/** A handler that hands the request on to the action that it names. */
export function byAction<Request extends { readonly action?: string | undefined }, Body>(
  operation: string,
  actions: Readonly<Record<string, Act<Request, Body>>>,
): Act<Request, Body> {
  return async (context, request) => {
    const { action = 'list' } = request;
    const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (act !== undefined) return act(context, request);
    const names = Object.keys(actions).join(', ');
    throw new SvcError('invalid_request', `unknown ${operation} action '${action}' (${names})`);
  };
}
