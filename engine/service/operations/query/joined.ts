/**
 * The query of a request that says `federated: "join"`: one query over the facts of all members, joined here. Every remote is
 * judged by the floors before anything leaves, and the answer says what became of each. Loaded with the first.
 */

import { SvcError } from '../../../base/errors.js';
import { type AnswerLabels, composedOf, shownComposed } from '../../../graphs/labels/answer-labels.js';
import { composeLabels, labelOfOne } from '../../../graphs/labels/compose.js';
import { touchedGraphs } from '../../../query/algebra/touched-graphs.js';
import { parseQuery } from '../../../query/parse/parse.js';
import { FederatedRun } from '../../../query/service/members.js';
import { refuseBelow, refuseOtherForms } from '../../federation/admission.js';
import type { ProviderReport } from '../../federation/federated-answer.js';
import { knowledgeOf } from '../../federation/knowledge.js';
import { LOCAL, type Member } from '../../federation/members.js';
import type { EngineQuery, QueryAnswer } from '../../reads/query.js';
import type { MemberFigures } from '../../requests/operation-answer.js';
import type { OperationContext } from '../definition/operation.js';
import { askableMembers } from './askable-members.js';
import { queryOf } from './query-options.js';
import type { ScopeRequest } from './query-scope.js';

export type JoinRequest = ScopeRequest & { readonly query: string };

export class Join {
  readonly run: FederatedRun;
  readonly #members: readonly Member[];
  /** Endpoints of SERVICE that the query names. */
  readonly #endpoints: number;

  /** Throws what may not be asked. */
  constructor(context: OperationContext, request: JoinRequest) {
    const { configuration } = context;
    const { floors } = queryOf(context, request);
    const parsed = parseQuery(request.query, {});
    refuseOtherForms(parsed);
    this.#members = askableMembers(context);
    if (floors !== undefined) for (const member of this.#members) refuseBelow(member, floors);
    this.#endpoints = touchedGraphs(parsed).endpoints.length;
    this.run = new FederatedRun(this.#members, knowledgeOf(configuration.federation.remotes));
  }

  /** What the store is asked: asserted types only, here as everywhere. */
  query(context: OperationContext, request: JoinRequest): EngineQuery {
    return { ...queryOf(context, request), inference: undefined, members: this.run };
  }

  /** What stands behind the rows. */
  about(answer: QueryAnswer, rows: number): { providers: ProviderReport[]; complete: boolean; labels: AnswerLabels } {
    const { lost, tallies } = this.run;
    const remote = this.#members.map(({ name, label }): ProviderReport => {
      const error = lost.get(name) ?? null;
      return { name, ok: error === null, rows: tallies.get(name)?.rows ?? 0, error, label };
    });
    const local: ProviderReport = { name: LOCAL, ok: true, rows, error: null, label: answer.labels };
    return { providers: [local, ...remote], complete: lost.size === 0, labels: this.#labelsOf(answer) };
  }

  get figures(): readonly MemberFigures[] {
    return [...this.run.tallies].map(([name, { requests, failures, seconds }]) => ({
      name,
      requests,
      failures,
      seconds,
    }));
  }

  #labelsOf({ labels, graphsRead }: QueryAnswer): AnswerLabels {
    const own = composedOf(labels, this.#endpoints + graphsRead);
    if (own === null) return labels;
    const answered = this.#members.filter(({ name }) => !this.run.lost.has(name));
    return shownComposed(answered.reduce((all, member) => composeLabels(all, labelOfOne(member.labels)), own));
  }
}

/** Only the body has a place for what became of the members. */
export function refuseOtherAnswers({ representation, acceptable }: OperationContext): void {
  if (representation === 'body' || acceptable !== undefined) return;
  throw new SvcError(
    'invalid_request',
    `a federated answer tells of its members, which ${representation} can not hold`,
    {
      hint: 'ask for the JSON body: --json, or Accept: application/json',
    },
  );
}
