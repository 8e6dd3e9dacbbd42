/**
 * Reads an answer apart from the page: the lines go into pages as they arrive (`row-pages.ts`), and the page gets what it shows.
 * When it is told to stop it closes the connection, by which the server knows that nobody waits.
 */

import type { EndCause, FromWorker, LineFormat, ToWorker } from './messages.js';
import { numberColumns } from './number-columns.js';
import { RowPages } from './row-pages.js';
import { shownRow } from './shown-row.js';

/** Between two words of how far it is. */
const PROGRESS_MS = 100;
/** Columns of a graph. */
const TRIPLE = ['subject', 'predicate', 'object'];

const pages = new RowPages();
const stopping = new AbortController();
let format: LineFormat = 'tsv';
let columns: readonly string[] = TRIPLE;
/** Of TSV the first line is the head. */
let headLines = 0;
let bytes = 0;

const tell = (message: FromWorker): void => self.postMessage(message);

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'start') void start(data);
  else if (data.kind === 'stop') stopping.abort();
  else {
    answer(data).catch((error: unknown) => tell({ kind: 'failed', id: data.id, message: String(error) }));
  }
});

let toldMs = Number.NEGATIVE_INFINITY;
let telling: ReturnType<typeof setTimeout> | undefined;

/** At most every `PROGRESS_MS`; what came since is told when they are over, also when nothing more comes. */
function tellProgress(): void {
  if (telling !== undefined) return;
  telling = setTimeout(
    () => {
      telling = undefined;
      toldMs = performance.now();
      tell({ kind: 'progress', rows: rows(), bytes });
    },
    Math.max(0, toldMs + PROGRESS_MS - performance.now()),
  );
}

const end = (cause: EndCause | null): void => {
  clearTimeout(telling);
  tell({ kind: 'end', rows: rows(), bytes, cause });
};

const rows = (): number => Math.max(0, pages.lines - headLines);

async function start({ url, headers, body, format: lines }: Extract<ToWorker, { kind: 'start' }>): Promise<void> {
  format = lines;
  headLines = lines === 'tsv' ? 1 : 0;
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: stopping.signal });
    if (!response.ok) {
      tell({ kind: 'refused', status: response.status, content: await response.text() });
      return;
    }
    const about = {
      cutByServer: response.headers.get('X-Svc-Truncated') === 'true',
      labels: response.headers.get('X-Svc-Labels'),
    };
    if (format === 'ntriples') tell({ kind: 'head', columns, ...about });
    await read(response, (first) => {
      columns = first.split('\t').map((name) => name.replace(/^[?$]/, ''));
      tell({ kind: 'head', columns, ...about });
    });
  } catch (error) {
    const cause = stopping.signal.aborted
      ? ({ kind: 'stopped' } as const)
      : ({ kind: 'broken', message: error instanceof Error ? error.message : String(error) } as const);
    end(cause);
  }
}

async function read({ body }: Response, head: (line: string) => void): Promise<void> {
  const reader = body?.getReader();
  let hasHead = headLines === 0;
  const tellHead = async (): Promise<void> => {
    if (hasHead || pages.lines === 0) return;
    hasHead = true;
    head((await pages.slice(0, 1))[0] as string);
  };
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    bytes += value.length;
    await pages.append(value);
    await tellHead();
    tellProgress();
    if (pages.isFull) {
      await reader?.cancel();
      end({ kind: 'full' });
      return;
    }
  }
  pages.finish();
  await tellHead();
  end(null);
}

async function answer(asked: Exclude<ToWorker, { kind: 'start' | 'stop' }>): Promise<void> {
  const { id } = asked;
  if (asked.kind === 'numbers') {
    const lines = await pages.slice(headLines, headLines + asked.rowsMax);
    tell({ kind: 'numbers', id, columns: numberColumns(columns, lines, format) });
    return;
  }
  const { charactersMax } = asked;
  if (asked.kind === 'lines') {
    const lines = await pages.slice(asked.from, asked.to);
    tell({ kind: 'lines', id, lines: lines.map((line) => line.slice(0, charactersMax)) });
    return;
  }
  const lines = await pages.slice(headLines + asked.from, headLines + asked.to);
  tell({ kind: 'rows', id, rows: lines.map((line) => shownRow(line, format, charactersMax)) });
}
