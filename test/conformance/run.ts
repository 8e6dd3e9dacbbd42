/** Runs cases: each one against everything that it is about, and what became of it. */

import { SvcError } from '../../engine/base/errors.js';
import { Failure, type TestCase } from './cases.js';
import { CHECKS, formatOfKind } from './checks.js';
import { HTTP_CHECKS } from './http/checks.js';
import { type LiveServer, startLiveServer } from './http/live-server.js';
import { HTTP_SKIPS, httpNotForUs } from './http/skips.js';
import { libraryReader, READERS } from './readers.js';
import { SHACL_CHECKS } from './shacl/checks.js';
import { SHACL_SKIPS } from './shacl/skips.js';
import { notForUs, SKIPS } from './skips.js';
import { EVALUATIONS, SYNTAX_CHECKS } from './sparql/checks.js';
import { SPARQL_SKIPS } from './sparql/skips.js';
import { memorySubject, type SparqlSubject, storeSubject } from './sparql/subjects.js';

const CASE_TIMEOUT_MS = 60_000;
const REASON_CHARACTERS_MAX = 1_500;

export interface Outcome {
  readonly subject: string;
  /** The group of the case, with the subject where there is more than one. */
  readonly group: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped. */
  readonly reason: string | null;
}

interface Trial {
  readonly subject: string;
  /** The subject is the only one, or the usual one. */
  readonly plain: boolean;
  readonly run: () => Promise<void>;
}

export class Runner {
  readonly #subjects: readonly SparqlSubject[];
  /** Started by the first case that needs it. */
  #server: Promise<LiveServer> | null = null;

  constructor(subjects: readonly SparqlSubject[] = [memorySubject(), storeSubject()]) {
    this.#subjects = subjects;
  }

  /** False for kinds that nothing runs yet. */
  takes(test: TestCase): boolean {
    return (
      CHECKS.has(test.kind) ||
      SYNTAX_CHECKS.has(test.kind) ||
      EVALUATIONS.has(test.kind) ||
      HTTP_CHECKS.has(test.kind) ||
      SHACL_CHECKS.has(test.kind)
    );
  }

  async run(test: TestCase): Promise<Outcome[]> {
    const skip = notForUs(test) ?? httpNotForUs(test);
    if (skip !== null) return [{ subject: '', group: test.group, verdict: 'skipped', reason: skip }];
    const outcomes: Outcome[] = [];
    for (const trial of this.#trials(test)) {
      const group = trial.plain ? test.group : `${test.group} (${trial.subject})`;
      outcomes.push({ subject: trial.subject, group, ...verdictOf(test, await failureOf(trial.run)) });
    }
    return outcomes;
  }

  #trials(test: TestCase): Trial[] {
    const syntax = SYNTAX_CHECKS.get(test.kind);
    if (syntax !== undefined) return [{ subject: 'parser', plain: true, run: () => syntax(test) }];
    const evaluation = EVALUATIONS.get(test.kind);
    if (evaluation !== undefined) {
      return this.#subjects.map((subject) => ({
        subject: subject.name,
        plain: subject === this.#subjects[0],
        run: () => evaluation(test, subject),
      }));
    }
    const exchange = HTTP_CHECKS.get(test.kind);
    if (exchange !== undefined) {
      return [{ subject: 'server', plain: true, run: async () => exchange(test, await this.#startServer()) }];
    }
    const validation = SHACL_CHECKS.get(test.kind);
    if (validation !== undefined) return [{ subject: 'validator', plain: true, run: () => validation(test) }];
    const format = formatOfKind(test.kind);
    const readers =
      format === null
        ? [libraryReader]
        : READERS.filter(({ formats, suites }) => formats.includes(format) && (suites?.includes(test.suite) ?? true));
    return readers.map((reader) => ({
      subject: reader.name,
      plain: reader === libraryReader,
      run: async () => CHECKS.get(test.kind)?.(test, reader),
    }));
  }

  #startServer(): Promise<LiveServer> {
    this.#server ??= startLiveServer();
    return this.#server;
  }

  async close(): Promise<void> {
    await (await this.#server)?.close();
    for (const subject of this.#subjects) await subject.close();
  }
}

function verdictOf(test: TestCase, reason: string | null): Pick<Outcome, 'verdict' | 'reason'> {
  const skip = SKIPS.get(test.id) ?? SPARQL_SKIPS.get(test.id) ?? HTTP_SKIPS.get(test.id) ?? SHACL_SKIPS.get(test.id);
  if (skip === undefined) return { verdict: reason === null ? 'passed' : 'failed', reason };
  if (reason !== null) return { verdict: 'skipped', reason: skip };
  return { verdict: 'failed', reason: 'it passes: remove it from the skip list' };
}

/** Why a trial fails, or null. */
async function failureOf(run: () => Promise<void>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failure(`no result within ${CASE_TIMEOUT_MS} ms`)), CASE_TIMEOUT_MS);
  });
  try {
    await Promise.race([run(), timeout]);
    return null;
  } catch (error) {
    const text =
      error instanceof SvcError
        ? `${error.code}: ${error.describe()}`
        : error instanceof Failure
          ? error.message
          : String((error as Error).stack);
    return text.slice(0, REASON_CHARACTERS_MAX);
  } finally {
    clearTimeout(timer);
  }
}
