/** What the suites of the protocols hold that is not run, or not expected to pass, each with its reason. */

import type { TestCase } from '../cases.js';

/** Features that a service may leave out (Graph Store Protocol, 4.1 and 5.5), and cases say that they need. */
const OPTIONAL: Readonly<Record<string, string>> = {
  DirectGraphIdentification: 'graphs are named by ?graph= and ?default alone; no path of ours is a graph',
  POSTGraphCreation: 'a request that names no graph is refused; POST with ?graph= makes the graph that it names',
};

/** Why a case is not run at all; null when it is. */
export function httpNotForUs({ http }: TestCase): string | null {
  for (const feature of http?.requires ?? []) {
    const reason = OPTIONAL[feature];
    if (reason !== undefined) return reason;
  }
  return null;
}

const MULTIPART = 'graphs are sent as Turtle or N-Triples; several in one multipart/form-data body are not taken';
const OLD = 'sparql11/http-rdf-update#';

export const HTTP_SKIPS: ReadonlyMap<string, string> = new Map([
  ['sparql11/graph-store-protocol#post_get_post_get_indirect', MULTIPART],
  [`${OLD}post__multipart_formdata`, MULTIPART],
  [`${OLD}get_of_post__multipart_formdata`, MULTIPART],
  [`${OLD}put__default_graph`, 'asks for 201, and the default graph is always there; the newer suite takes 204'],
  [`${OLD}delete__existing_graph`, 'no case before it puts the graph that it deletes'],
  [`${OLD}post__existing_graph`, 'its Turtle lacks the dot at the end'],
  [`${OLD}get_of_post__existing_graph`, 'expects a name that a case before it has replaced'],
  [`${OLD}post__create__new_graph`, OPTIONAL.POSTGraphCreation as string],
  [`${OLD}get_of_post__create__new_graph`, OPTIONAL.POSTGraphCreation as string],
  [`${OLD}get_of_post__after_noop`, OPTIONAL.POSTGraphCreation as string],
]);
