/**
 * Writes by name. A store has one `Writes`; what is asked of it runs at one place: here, where the engine is open for
 * writing, or in the writer thread, which has a `LocalWrites` of its own. Which of the two is decided once, when the
 * store is opened.
 */

import { fromSystemError, SvcError } from '../../base/errors.js';
import { ANYONE, checkedChain, type Principal } from '../../base/principal.js';
import type { LoadSource, StorageEngine } from '../../storage/seam/engine.js';
import { type PipelineOptions, WritePipeline } from '../pipeline/pipeline.js';
import { type CallersOptions, type WriteCall, WriteContext } from './command.js';
import {
  type AnyCommand,
  type CommandList,
  type OptionsOf,
  type RequestOf,
  type ResultOf,
  WRITES,
  type WriteName,
} from './commands.js';

/** Where writes run. */
export interface WritePlace {
  run(call: WriteCall): Promise<unknown>;
  /** True for code that a write runs here: another one would wait for it. */
  readonly isWithinWrite: boolean;
  /** Settles when every write that was begun is through. */
  idle(): Promise<void>;
}

/** The place where the engine is open for writing. */
export class LocalWrites implements WritePlace {
  readonly #pipeline: WritePipeline;
  /** Those that were loaded with their first call: an import that is asked for again costs as much as a small lookup. */
  readonly #loaded = new Map<string, AnyCommand>();
  /** Settles when the command is there that is being loaded: writes that come meanwhile do not overtake its first call. */
  #loading: Promise<unknown> | null = null;

  constructor(
    private readonly engine: StorageEngine,
    options: PipelineOptions,
    private readonly commands: CommandList = WRITES,
  ) {
    this.#pipeline = new WritePipeline(engine, options);
  }

  get isWithinWrite(): boolean {
    return this.#pipeline.isWithinWrite;
  }

  run(call: WriteCall): Promise<unknown> {
    const listed = this.commands[call.name];
    if (listed === undefined) {
      return Promise.reject(new SvcError('internal', `there is no write named ${call.name}`));
    }
    const command = typeof listed === 'function' ? this.#loaded.get(call.name) : listed;
    return command === undefined || this.#loading !== null ? this.#runLoaded(listed, call) : this.#start(command, call);
  }

  async #runLoaded(listed: NonNullable<CommandList[string]>, call: WriteCall): Promise<unknown> {
    while (this.#loading !== null) await this.#loading;
    let command = typeof listed === 'function' ? this.#loaded.get(call.name) : listed;
    command ??= await this.#load(call.name, listed as () => Promise<AnyCommand>);
    return this.#start(command, call);
  }

  #start(command: AnyCommand, call: WriteCall): Promise<unknown> {
    if (call.principal.readable === null) return this.#work(command, call);
    if (command.forSomeGraphs !== true) return Promise.reject(worksOnAll(call));
    return this.#pipeline.narrow().then(() => this.#work(command, call));
  }

  #work(command: AnyCommand, call: WriteCall): Promise<unknown> {
    const context = new WriteContext(this.engine, this.#pipeline, call);
    // The sender has typed both by the name.
    return command.run(context, call.request as never, call.options as never);
  }

  idle(): Promise<void> {
    return this.#pipeline.idle();
  }

  #load(name: string, load: () => Promise<AnyCommand>): Promise<AnyCommand> {
    const loaded = load().then(
      (command) => {
        this.#loading = null;
        this.#loaded.set(name, command);
        return command;
      },
      (error) => {
        this.#loading = null;
        throw error;
      },
    );
    this.#loading = loaded;
    return loaded;
  }
}

export class Writes {
  /** Writes that are not through: some gather their quads before they wait for their turn. */
  #begun = 0;
  /** Called when none is left. */
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly place: WritePlace,
    /** What system errors are told of. */
    private readonly path: string,
  ) {}

  get isWithinWrite(): boolean {
    return this.place.isWithinWrite;
  }

  async run<Name extends WriteName>(
    name: Name,
    request: RequestOf<Name>,
    options: OptionsOf<Name> & CallersOptions,
    {
      documents = [],
      reader = ANYONE,
    }: { readonly documents?: readonly LoadSource[]; readonly reader?: Principal } = {},
  ): Promise<ResultOf<Name>> {
    const { signal, flag, onProgress, wait, authenticated, principalChain: chain }: CallersOptions = options;
    const principal =
      authenticated === undefined && chain === undefined
        ? reader
        : { ...reader, authenticated: authenticated ?? null, chain: checkedChain(chain, 'principalChain') };
    const listed: CommandList[string] = WRITES[name];
    const { what = 'the transaction', gather } = typeof listed === 'function' ? NOT_LOADED : listed;
    const control = { signal, flag, onProgress, wait };
    this.#begun++;
    try {
      const gathered =
        gather === undefined ? NOTHING_GATHERED : await gather(request as never, options as never, signal);
      const call = { name, what, request, options, documents, principal, control, ...gathered };
      // The command of this name gives it.
      return (await this.place.run(call)) as ResultOf<Name>;
    } catch (error) {
      throw fromSystemError(error, this.path);
    } finally {
      this.#begun--;
      if (this.#begun === 0) for (const wake of this.#waiting.splice(0)) wake();
    }
  }

  /** Settles when every write that was begun is through. */
  async idle(): Promise<void> {
    if (this.#begun > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await this.place.idle();
  }
}

function worksOnAll({ name, what }: WriteCall): SvcError {
  return new SvcError(
    'authority_denied',
    `${what} (${name}) works on the whole store, and the reader may read some graphs only (governance.read_rules)`,
  );
}

/** Of commands that are loaded with their first call: they gather nothing. */
const NOT_LOADED: Pick<AnyCommand, 'what' | 'gather'> = {};
const NOTHING_GATHERED = {};
