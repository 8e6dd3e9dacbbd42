/** Spark in local mode, by PySpark in a process of its own. Questions and rows are lines of JSON. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Control, throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Cell, LakeEngine } from '../lake-engine.js';
import { type LakeContent, TABLE_NAMES } from '../lake-file.js';
import { LAKE_TABLES } from '../layout.js';
import { SPARK } from '../sql/dialects/spark.js';
import { engineFailure } from './failure.js';
import { SPARK_PROGRAM } from './spark-program.js';

export interface SparkOptions extends Control {
  /** The interpreter that has pyspark. */
  readonly python: string;
  /** As Spark writes it; absent = all cores of this machine. */
  readonly master?: string | undefined;
  /** Of its process, as Spark writes it, such as 8g; absent = what Spark takes. */
  readonly memory?: string | undefined;
}

/** Of a message that tells why it died. */
const STDERR_CHARACTERS_MAX = 2000;
const SETTINGS = {
  'spark.ui.enabled': 'false',
  'spark.sql.ansi.enabled': 'true',
  'spark.sql.session.timeZone': 'UTC',
  'spark.sql.variable.substitute': 'false',
};
/** Of a join or a group; Spark makes them fewer where they are small, and never more. */
const PARTITION_ROWS = 2_000_000;
const PARTITIONS_MIN = 2;
const PARTITIONS_MAX = 200;

interface Message {
  readonly ready?: true;
  readonly missing?: true;
  readonly rows?: readonly (readonly Cell[])[];
  readonly end?: true;
  readonly error?: string;
}

export async function openSpark(folder: string, content: LakeContent, options: SparkOptions): Promise<LakeEngine> {
  const child = spawn(options.python, ['-c', SPARK_PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] });
  const engine = new SparkEngine(child, options.python, content);
  const tables = Object.fromEntries(
    TABLE_NAMES.map((table) => {
      const schema = LAKE_TABLES[table].map(({ name, type }) => `${name} ${SPARK.types[type]}`).join(', ');
      return [table, { files: content.tables[table].map(({ path }) => join(folder, path)), schema }];
    }),
  );
  try {
    const settings = settingsOf(content, options);
    await engine.begin({ master: options.master ?? 'local[*]', settings, tables }, options);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function settingsOf({ tables }: LakeContent, { memory }: SparkOptions): Readonly<Record<string, string>> {
  const rows = tables.facts.reduce((sum, file) => sum + file.rows, 0);
  const partitions = Math.min(PARTITIONS_MAX, Math.max(PARTITIONS_MIN, Math.ceil(rows / PARTITION_ROWS)));
  return {
    ...SETTINGS,
    'spark.sql.shuffle.partitions': String(partitions),
    ...(memory === undefined ? {} : { 'spark.driver.memory': memory }),
  };
}

class SparkEngine implements LakeEngine {
  readonly ids = new Map<string, bigint | null>();
  readonly #lines: AsyncIterator<string>;
  #stderr = '';
  #failure: Error | null = null;

  constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly python: string,
    readonly content: LakeContent,
  ) {
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS_MAX);
    });
    child.on('error', (error) => {
      this.#failure = error;
    });
    // A process that dies closes its pipe under a question; the end of its lines tells of it.
    child.stdin.on('error', () => undefined);
  }

  async begin(setup: unknown, control: Control): Promise<void> {
    const stop = this.#stopBy(control);
    try {
      this.#send(setup);
      const message = await this.#next(control);
      if (message.missing) {
        throw new SvcError('unsupported', `${this.python} has no pyspark`, {
          hint: `${this.python} -m pip install pyspark, or name another interpreter with --python`,
        });
      }
      if (message.error !== undefined) throw engineFailure('Spark', message.error);
    } finally {
      stop();
    }
  }

  async *rows(sql: string, _names: readonly string[], control: Control) {
    throwIfAborted(control.signal, 'the query');
    const stop = this.#stopBy(control);
    try {
      this.#send({ sql });
      for (;;) {
        const { rows, error, end } = await this.#next(control);
        if (error !== undefined) throw engineFailure('Spark', error);
        if (rows !== undefined) yield rows;
        if (end) return;
      }
    } finally {
      stop();
    }
  }

  /** Spark stops a question at once only with its process. */
  #stopBy({ signal }: Control): () => void {
    const kill = (): void => void this.child.kill('SIGKILL');
    if (signal?.aborted) kill();
    signal?.addEventListener('abort', kill);
    return () => signal?.removeEventListener('abort', kill);
  }

  #send(message: unknown): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async #next({ signal }: Control): Promise<Message> {
    const { value, done } = await this.#lines.next();
    if (!done) return JSON.parse(value) as Message;
    throwIfAborted(signal, 'the query');
    if ((this.#failure as NodeJS.ErrnoException | null)?.code === 'ENOENT') {
      throw new SvcError('unsupported', `there is no interpreter ${this.python}`, {
        hint: 'name a Python that has pyspark with --python, or as SVC_PYTHON',
      });
    }
    const why = this.#failure?.message ?? this.#stderr.trim().split('\n').at(-1) ?? '';
    throw new SvcError('service_failed', `Spark ended before it had answered${why === '' ? '' : `: ${why}`}`, {
      hint: 'a process that ends without a word was killed, often for want of memory: ask for less, or ask DuckDB',
    });
  }

  async close(): Promise<void> {
    this.child.stdin.end();
    this.child.kill('SIGKILL');
    await new Promise<void>((resolve) => {
      if (this.child.exitCode !== null || this.child.signalCode !== null || this.#failure !== null) resolve();
      else this.child.once('exit', () => resolve());
    });
  }
}
