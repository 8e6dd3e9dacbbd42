/** The request for the counts of a member. */

import { Unusable } from '../../query/service/remote-answer.js';
import type { Member } from './members.js';

/** The answer, whose body is the caller's to read or to cancel; throws where it is none, or says no. */
export async function askFigures(
  { url, authToken }: Pick<Member, 'url' | 'authToken'>,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(`${url}/stats`, {
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(authToken === undefined ? {} : { authorization: `Bearer ${authToken}` }),
    },
    signal,
  });
  if (response.status === 200) return response;
  await response.body?.cancel();
  throw new Unusable(`GET /stats answered ${response.status}`);
}
