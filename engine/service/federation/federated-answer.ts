/**
 * The answer of a federated query (semantics of graphs, 7.2 and 7.3), written as it is made:
 *
 *  1. The query has begun here when this begins: its text is right, and its graphs meet the floors. Every remote is asked
 *     at once.
 *  2. The rows of this store go out as they come, then those of each remote in the order of the configuration, as soon as
 *     its answer is whole. All together are bounded.
 *  3. At the end stands what became of each member, whether anything is missing, and the label of those that answered.
 *
 * Who leaves the answer ends the questions that are still open.
 */

import { throwIfAborted } from '../../base/control.js';
import { type AnswerLabels, composedOf, shownComposed } from '../../graphs/labels/answer-labels.js';
import { composeLabels, labelOfOne } from '../../graphs/labels/compose.js';
import type { MemoryBudget } from '../../query/runtime/memory.js';
import { writeJson } from '../requests/json.js';
import { type AnswerNotes, JSON_MEDIA_TYPE, type OperationAnswer } from '../requests/operation-answer.js';
import { ListedObject } from './listed-object.js';
import type { MemberCall } from './member-call.js';
import { ANNOTATIONS, LOCAL, type Member } from './members.js';

/** What became of a member. */
export interface ProviderReport {
  readonly name: string;
  readonly ok: boolean;
  /** Its rows in the answer. */
  readonly rows: number;
  readonly error: string | null;
  /** As the operator declares it; of this store, the label of its graphs; null = undeclared. */
  readonly label: unknown;
}

export interface Federation {
  /** The answer of this store, with IRIs in full. */
  readonly local: OperationAnswer;
  readonly calls: readonly MemberCall[];
  readonly variables: readonly string[];
  /** What the query asks here besides graphs of this store: endpoints of SERVICE. */
  readonly undeclared: number;
  readonly rowsMax: number;
  readonly ignoredFields: readonly string[];
  readonly memory: MemoryBudget;
  readonly signal: AbortSignal | undefined;
  /** Ends the questions that are open. */
  abort(): void;
}

/** What this store says behind its rows. */
interface LocalEnd {
  readonly truncated?: boolean;
  readonly labels?: AnswerLabels;
  readonly inference?: unknown;
}

const SAYS_LOCAL = `"_provider":${JSON.stringify(LOCAL)}}`;

export class FederatedAnswer {
  readonly kind = 'document';
  readonly mediaType = JSON_MEDIA_TYPE;
  readonly chunks: AsyncGenerator<Uint8Array | string, void, undefined>;
  private atEnd: AnswerNotes = {};
  private rows = 0;
  /** A row is written. */
  private begun = false;

  constructor(private readonly federation: Federation) {
    this.chunks = this.write();
  }

  get notes(): AnswerNotes {
    const { queryForm, inference, graphsRead } = this.federation.local.notes;
    return { queryForm, inference, graphsRead };
  }

  readonly notesAtEnd = (): AnswerNotes => this.atEnd;

  readonly close = (): void => {
    this.federation.abort();
    this.federation.local.close();
    this.federation.memory.close();
  };

  private async *write(): AsyncGenerator<Uint8Array | string, void, undefined> {
    const { variables, calls, rowsMax, ignoredFields, signal } = this.federation;
    try {
      yield `{"variables":${JSON.stringify([...variables, ...ANNOTATIONS])},"rows":[`;
      const local = yield* this.localRows();
      const { labels: label = null, truncated: isCut = false } = local;
      const providers: ProviderReport[] = [{ name: LOCAL, ok: true, rows: this.rows, error: null, label }];
      let [complete, truncated] = [!isCut, isCut];
      const answered: Member[] = [];
      for (const { member, outcome } of calls) {
        const given = await outcome;
        throwIfAborted(signal, 'the query');
        const about = { name: member.name, label: member.label };
        if (!given.ok) {
          complete = false;
          providers.push({ ...about, ok: false, rows: 0, error: given.error });
          continue;
        }
        const rows = Math.min(given.rows.count, rowsMax - this.rows);
        for (const bytes of given.rows.take(rows)) {
          yield this.begun ? bytes : bytes.subarray(1);
          this.begun = true;
        }
        this.rows += rows;
        answered.push(member);
        providers.push({ ...about, ok: true, rows, error: null });
        complete &&= !given.truncated;
        truncated ||= rows < given.rows.count;
        given.rows.release();
      }
      const labels = this.labelsOf(label, answered);
      this.atEnd = { entries: this.rows, truncated, labels };
      const about = { count: this.rows, providers, complete, truncated, labels, inference: local.inference };
      yield `],${writeJson({ ...about, ignored_fields: ignoredFields.length === 0 ? undefined : ignoredFields }).slice(1)}`;
    } finally {
      this.close();
    }
  }

  private async *localRows(): AsyncGenerator<string, LocalEnd, undefined> {
    const end: Record<string, unknown> = {};
    let rows: string[] = [];
    const object = new ListedObject('rows', {
      member: (key, text) => {
        end[key] = JSON.parse(text);
      },
      entry: (text) => rows.push(text === '{}' ? `{${SAYS_LOCAL}` : `${text.slice(0, -1)},${SAYS_LOCAL}`),
    });
    const decoder = new TextDecoder();
    for await (const bytes of this.federation.local) {
      object.push(decoder.decode(bytes, { stream: true }));
      if (rows.length === 0) continue;
      yield `${this.begun ? ',' : ''}${rows.join()}`;
      this.begun = true;
      this.rows += rows.length;
      rows = [];
    }
    object.end();
    return end;
  }

  /** That of this store, and of each remote that answered. */
  private labelsOf(label: AnswerLabels, answered: readonly Member[]): AnswerLabels {
    const own = composedOf(label, this.federation.undeclared + (this.federation.local.notes.graphsRead ?? 0));
    if (own === null) return label;
    return shownComposed(answered.reduce((all, { labels }) => composeLabels(all, labelOfOne(labels)), own));
  }
}
