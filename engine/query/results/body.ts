/**
 * The answer of POST /query (wire shapes, 4.1): rows as objects of plain JSON values, a verdict, or triples. What is
 * known only at the end, how many entries there are and whether a limit cut them, stands behind them.
 */

import type { CurieTable } from '../../rdf/curies.js';
import { termToJson, writeJson } from '../../rdf/json-values.js';
import { byteRows, oneChunk, type RowLayout } from './byte-rows.js';
import type { FormResult } from './result.js';
import { plainBytes, sharedFormat, type TermFormat } from './term-format.js';

export interface BodyOptions {
  /** Rows or triples at most; `truncated` says that there were more. */
  readonly entriesMax: number;
  /** What IRIs are shortened by; null = not at all. */
  readonly curies: CurieTable | null;
  /** Further keys, after those of the answer; as a function, what they are is asked when the last entry is written. */
  readonly members: Members | ((entries: number) => Members);
  /** Told when the last entry is written. */
  readonly onEnd?: (entries: number, truncated: boolean) => void;
}

type Members = Readonly<Record<string, unknown>>;

type BodyChunks = AsyncGenerator<string | Uint8Array, void, undefined>;

const TRIPLE = ['subject', 'predicate', 'object'];

const WHOLE = sharedFormat((term) => writeJson(termToJson(term)), plainBytes('"\\'), { guardsStrings: true });

function formatBy(curies: CurieTable | null): TermFormat {
  if (curies === null || curies.entries.length === 0) return WHOLE;
  const compact = (iri: string) => curies.compact(iri);
  return { ...WHOLE, text: (term) => writeJson(termToJson(term, compact)), curies };
}

export function bodyChunks(result: FormResult, options: BodyOptions): BodyChunks {
  switch (result.kind) {
    case 'ask':
      return oneChunk(`{"result":${result.value}${membersText(options, 1)}}`);
    case 'select':
      return byteRows(result.batches, {
        head: `{"variables":${JSON.stringify(result.variables)},"rows":[`,
        ...entries(result.variables, options),
      });
    case 'graph':
      return byteRows(result.batches, { head: '{"triples":[', columns: TRIPLE.length, ...entries(TRIPLE, options) });
  }
}

function entries(names: readonly string[], options: BodyOptions): Omit<RowLayout, 'head'> {
  const { entriesMax, curies, onEnd } = options;
  const format = formatBy(curies);
  return {
    formatOf: () => format,
    prefixOf: (column) => `${JSON.stringify(names[column])}:`,
    rowStart: ',{',
    commaFirst: true,
    between: ',',
    rowEnd: '}',
    rowsMax: entriesMax,
    tail(count, truncated) {
      onEnd?.(count, truncated);
      return `],"count":${count},"truncated":${truncated}${membersText(options, count)}}`;
    },
  };
}

function membersText({ members }: BodyOptions, entries: number): string {
  const text = writeJson(typeof members === 'function' ? members(entries) : members);
  return text === '{}' ? '' : `,${text.slice(1, -1)}`;
}
