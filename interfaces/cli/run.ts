/**
 * Runs one command line: reads it, opens the store, runs the operation, prints the answer. Gives the exit code: 0 only
 * when what was asked was done. Data goes to standard output, everything else to standard error.
 *
 * Length: one line goes through its steps here, in their order; what a step does stands in files of its own.
 */

import { existsSync } from 'node:fs';
import { compileForQueries } from '../../engine/base/compile-tiers.js';
import type { Control } from '../../engine/base/control.js';
import { SvcError } from '../../engine/base/errors.js';
import {
  type Configuration,
  type ConfigurationPlaces,
  loadConfiguration,
} from '../../engine/service/configuration/configuration.js';
import { COMMANDS } from '../../engine/service/operations/commands.js';
import type { Answer, Body, CommandOperation } from '../../engine/service/operations/definition/operation.js';
import { MEMORY_PATH } from '../../engine/service/options/store-options.js';
import type { Store } from '../../engine/service/store/store.js';
import type { LoadSource } from '../../engine/storage/seam/engine.js';
import { COMPLETION_COMMAND, completionScript } from './completion/command.js';
import { DOCTOR_COMMAND, runDoctor } from './doctor/command.js';
import type { DocumentGroup } from './documents/gather.js';
import { type Parsed, type ProgramSpec, parseCommandLine } from './line/commander.js';
import { flagOf, optionName, toRequest } from './line/commands.js';
import { filesOf, readArgument, readBody, readFiles } from './line/inputs.js';
import { principalChainOf, refusePrincipalChain } from './line/principal-chain.js';
import { type CliOptions, type CliStreams, textOption } from './line/streams.js';
import { describeFailure } from './messages/failure.js';
import type { AskGraphs } from './messages/graph-notes.js';
import { BrokenPipe, EXIT_BROKEN_PIPE, Output } from './output/output.js';
import { type ProgressMode, type ProgressSink, progressSink } from './output/progress.js';
import { wholeProgram } from './program.js';
import { type RemoteServer, refuseServer, remoteServer } from './remote/server.js';
import { REPL_COMMAND } from './repl/command.js';
import { MCP_COMMAND, runMcp } from './serve/mcp-command.js';
import { CONFIG_COMMAND, runConfig, runServe, SERVE_COMMAND } from './serve/serve-command.js';

interface Run {
  readonly operation: CommandOperation;
  readonly options: CliOptions;
  readonly words: readonly string[];
  readonly streams: CliStreams;
  readonly output: Output;
  readonly progress: ProgressSink;
  readonly control: Control;
}

/** The store that a command works on, or its path when the operation takes the file to itself, or the server that has it. */
type Opened =
  | { readonly configuration: Configuration; readonly store: Store }
  | { readonly configuration: Configuration; readonly path: string }
  | { readonly server: RemoteServer };

export async function runCli(words: readonly string[], streams: CliStreams, signal: AbortSignal): Promise<number> {
  const output = new Output(streams.stdout);
  const program = wholeProgram();
  const parsed = parseCommandLine(program, words);
  if (parsed.kind === 'done') {
    streams.stderr.write(parsed.err);
    return finish(async () => {
      await output.write(parsed.out);
      return parsed.exitCode;
    });
  }
  if (parsed.command === REPL_COMMAND.name) return startRepl(parsed.options, streams, output, signal);
  if (parsed.command === COMPLETION_COMMAND.name || parsed.command === DOCTOR_COMMAND.name) {
    return startLooking(parsed, program, streams, output);
  }
  if (SERVING.includes(parsed.command)) {
    return startServing(parsed, streams, output, signal);
  }
  const operation = COMMANDS.find((one) => one.projections.cli.command === parsed.command) as CommandOperation;
  const progress = progressSink(
    progressMode(parsed.options, streams),
    (text) => streams.stderr.write(text),
    streams.columns,
  );
  try {
    if (operation.opens !== 'write') refusePrincipalChain(parsed.options, parsed.command);
    const control: Control = {
      signal,
      onProgress: (one) => progress.report(one),
      principalChain: principalChainOf(parsed.options),
    };
    const server = await remoteServer(parsed.options);
    const run: Run = {
      operation,
      options: parsed.options,
      words: parsed.arguments,
      streams,
      output,
      progress,
      control,
    };
    return await finish(() => (server === null ? runOperation(run) : runRemote(run, server)));
  } catch (error) {
    progress.clear();
    const { inWordsOf } = await import('./messages/hints.js');
    const told = inWordsOf(operation, parsed.options, parsed.arguments, error);
    const failure = describeFailure(told, operation.projections.cli.errorLabel);
    streams.stderr.write(failure.text);
    return failure.exitCode;
  }
}

/** Commands that go on where the configuration is wrong: one needs none, the other tells what is wrong with it. */
async function startLooking(
  { command, arguments: [word], options }: Extract<Parsed, { kind: 'run' }>,
  program: ProgramSpec,
  streams: CliStreams,
  output: Output,
): Promise<number> {
  try {
    refuseServer(options, command, `svc ${command} looks at this machine alone`);
    refusePrincipalChain(options, command);
    return await finish(async () => {
      if (command === DOCTOR_COMMAND.name) return runDoctor(word, options, output);
      await output.write(await completionScript(word, program));
      return 0;
    });
  } catch (error) {
    const failure = describeFailure(error, undefined);
    streams.stderr.write(failure.text);
    return failure.exitCode;
  }
}

/** What a line says of the configuration. */
function placesOf(options: CliOptions): ConfigurationPlaces {
  return { path: textOption(options, 'config'), features: textOption(options, 'features') };
}

/** What notes behind an answer are made of. */
const NOTED = new Map(COMMANDS.map((operation) => [operation.name, operation]));

/** Commands that are no operation, by what they do with a configuration. */
const SERVING = [SERVE_COMMAND.name, MCP_COMMAND.name, CONFIG_COMMAND.name];

/** A session shows the failures of its statements itself; those before it end the command. */
async function startRepl(
  options: CliOptions,
  streams: CliStreams,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  try {
    refuseServer(options, 'repl', 'svc read --url and svc update --url ask a server, a statement at a time');
    const { configuration } = await loadConfiguration(placesOf(options));
    const path = textOption(options, 'db') ?? configuration.store_path;
    compileForQueries();
    const { runRepl } = await import('./repl/repl.js');
    const setup = { path, options, configuration, streams, output, environment: process.env };
    return await finish(() => runRepl(setup, signal));
  } catch (error) {
    const failure = describeFailure(error, undefined);
    streams.stderr.write(failure.text);
    return failure.exitCode;
  }
}

/** Commands of the server: `serve`, `mcp`, and `config`, which shows what they would go by. */
async function startServing(
  { command, arguments: words, options }: Extract<Parsed, { kind: 'run' }>,
  streams: CliStreams,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  try {
    if (command !== MCP_COMMAND.name) refuseServer(options, command, 'run it on the machine of the store');
    if (command === CONFIG_COMMAND.name) refusePrincipalChain(options, command);
    const loaded = await loadConfiguration(placesOf(options));
    return await finish(() => {
      if (command === CONFIG_COMMAND.name) return runConfig(words[0], options, loaded, output);
      if (command === MCP_COMMAND.name) return runMcp(options, loaded, streams, signal);
      return runServe(options, loaded, streams, signal);
    });
  } catch (error) {
    const failure = describeFailure(error, undefined);
    streams.stderr.write(failure.text);
    return failure.exitCode;
  }
}

async function finish(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BrokenPipe) return EXIT_BROKEN_PIPE;
    throw error;
  }
}

function progressMode(options: CliOptions, streams: CliStreams): ProgressMode {
  const how = options.progress;
  if (how === 'json' || how === 'none') return how;
  return streams.terminal ? 'terminal' : 'none';
}

async function requestOf(run: Run): Promise<Body> {
  const { formOfLine } = await import('./output/out-form.js');
  const { format } = formOfLine(run.operation, run.options, run.streams);
  const request = {
    ...(await readBody(run)),
    ...toRequest(run.operation, run.options, run.words),
    ...(format === undefined ? {} : { format }),
    ...(await readArgument(run)),
    ...(await readFiles(run)),
  };
  if (run.options.each && run.options.replaceSnapshot) {
    throw new SvcError('usage', '--each and --replace-snapshot: every document would replace the one before it');
  }
  return request;
}

async function runRemote(run: Run, server: RemoteServer): Promise<number> {
  const { operation, options } = run;
  const { command, documents, bundle } = operation.projections.cli;
  if (operation.projections.http === undefined)
    refuseServer(options, command, "run it on the server's machine, with --db");
  if (options.threads !== undefined) throw new SvcError('usage', '--threads is for a store of this machine');
  const request = await requestOf(run);
  if (bundle !== undefined) {
    const { sentBundle } = await import('./documents/bundle.js');
    return runOnce(run, { server }, await sentBundle(run, request), null);
  }
  if (!documents) return runOnce(run, { server }, request, null);
  return gathered(run, (groups) => runGroups(run, { server }, request, groups));
}

async function runOperation(run: Run): Promise<number> {
  const { configuration } = await loadConfiguration(placesOf(run.options));
  const request = await requestOf(run);
  const path = storePath(run, configuration);
  const { opens } = run.operation;
  if (opens === 'file') return runOnce(run, { configuration, path }, request, null);
  if (run.operation.projections.cli.bundle !== undefined) {
    const { foundBundle } = await import('./documents/bundle.js');
    const found = await foundBundle(run, request);
    return withStore(run, configuration, path, found.request, [found.group]);
  }
  if (!run.operation.projections.cli.documents) return withStore(run, configuration, path, request, null);
  return gathered(run, (groups) => withStore(run, configuration, path, request, groups));
}

async function withStore(
  run: Run,
  configuration: Configuration,
  path: string,
  request: Body,
  groups: readonly DocumentGroup[] | null,
): Promise<number> {
  // What brings something makes a store; a command that changes what is there needs it to be there.
  const { creates = false, onlyReads } = run.operation.projections.cli;
  const opens = onlyReads?.(request) ? 'read' : run.operation.opens;
  const options = opens === 'write' ? { create: creates } : { readOnly: true, create: false };
  if (opens !== 'write') compileForQueries();
  const [{ openStore }, { storeSettings }] = await Promise.all([
    import('../../engine/service/host/open-store.js'),
    import('../../engine/service/options/settings-of.js'),
  ]);
  const { base_ns: baseNamespace } = configuration;
  const store = await openStore(path, { ...options, baseNamespace, ...storeSettings(configuration) });
  try {
    const opened = { configuration, store };
    if (groups !== null) return await runGroups(run, opened, request, groups);
    const code = await (PREFIXED.includes(run.operation.name)
      ? runPrefixed(run, opened, request)
      : runOnce(run, opened, request, null));
    if (run.operation.usesTexts && configuration.search.text_backend === 'index') {
      const { indexNote } = await import('./messages/index-note.js');
      run.streams.stderr.write(indexNote(store) ?? '');
    }
    return code;
  } finally {
    // The process ends with the store, and would leave what was written without vectors.
    if (opens === 'write') await embedWritten(store, run);
    await store.close();
  }
}

/** Waits for vectors of what the command has written (`embedding.auto_embed`); what fails is told, and left to a backfill. */
async function embedWritten(store: Store, { streams, control: { signal } }: Run): Promise<void> {
  if (store.embedder?.autoEmbed !== true || signal?.aborted) return;
  store.embedder.onError = (error) => {
    const left = 'svc serve --embed-backfill makes the vectors that are missing';
    streams.stderr.write(`not embedded: ${error instanceof Error ? error.message : String(error)}; ${left}\n`);
  };
  const cancelled = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([store.embedded(), cancelled]);
}

/** Operations whose query may leave out declarations of prefixes that the store knows. */
const PREFIXED = ['read', 'explain'];

async function runPrefixed(run: Run, opened: Extract<Opened, { store: Store }>, request: Body): Promise<number> {
  const { withKnownPrefixes, withoutPrologue } = await import('./prefixes/known-prefixes.js');
  const { text, note } = await withKnownPrefixes(opened.store, String(request.query));
  if (note === null) return runOnce(run, opened, request, null);
  run.streams.stderr.write(note);
  return runOnce(run, opened, { ...request, query: text }, null).catch((error: unknown) => {
    throw withoutPrologue(error);
  });
}

function storePath({ operation, options }: Run, configuration: Configuration): string {
  const named = textOption(options, 'db');
  const path = named ?? configuration.store_path;
  const { storeless } = operation.projections.cli;
  if (storeless === 'unless-named') return named ?? MEMORY_PATH;
  return storeless === true && !existsSync(path) ? MEMORY_PATH : path;
}

/** With the documents of the line; those of the web go when the work is done. */
async function gathered(
  { words, options, streams, control }: Run,
  work: (groups: readonly DocumentGroup[]) => Promise<number>,
): Promise<number> {
  const [{ gatherDocuments }, { WebDocuments }] = await Promise.all([
    import('./documents/gather.js'),
    import('./documents/web-documents.js'),
  ]);
  const web = new WebDocuments();
  try {
    return await work(await gatherDocuments(words, options, streams, web, control.signal));
  } finally {
    await web.close();
  }
}

/** One transaction per group; with `--each` a group that fails does not stop the others. */
async function runGroups(run: Run, opened: Opened, request: Body, groups: readonly DocumentGroup[]): Promise<number> {
  let exitCode = 0;
  let failed = 0;
  for (const group of groups) {
    try {
      const code = await runOnce(run, opened, request, group);
      if (code !== 0) exitCode = code;
    } catch (error) {
      if (groups.length === 1 || error instanceof BrokenPipe || run.control.signal?.aborted) throw error;
      run.progress.clear();
      const { inWordsOf } = await import('./messages/hints.js');
      const failure = describeFailure(inWordsOf(run.operation, run.options, run.words, error), undefined);
      run.streams.stderr.write(failure.text);
      exitCode = failure.exitCode;
      failed++;
    }
  }
  if (run.options.each === true && run.options.json !== true && groups.length > 1) {
    run.streams.stderr.write(`${groups.length} documents: ${groups.length - failed} loaded, ${failed} failed\n`);
  }
  return exitCode;
}

/** Commands that find by meaning beside other ways. */
const MEANT: ReadonlySet<string> = new Set(['unified_search', 'resolve_entity']);

async function runOnce(run: Run, opened: Opened, request: Body, group: DocumentGroup | null): Promise<number> {
  const source = group !== null && request.source === undefined ? { source: group.source } : {};
  const [{ emptyExport, noteBehind, withNamedGraphs }, { print }] = await Promise.all([
    import('./messages/graph-notes.js'),
    import('./output/print.js'),
  ]);
  const graphs: AskGraphs = async (asked, what = 'graphs') => {
    const operation = NOTED.get(what) as CommandOperation;
    const answer = await answerOf({ ...run, operation, options: {} }, opened, asked, []);
    return answer.kind === 'body' ? answer.body : {};
  };
  const answer = await answerOf(run, opened, { ...request, ...source }, group?.documents ?? []).catch(async (error) => {
    throw await withNamedGraphs(graphs, error);
  });
  run.progress.clear();
  const { operation, options } = run;
  if (operation.projections.cli.refusesEmpty && answer.notes?.entries === 0 && options.allowEmpty !== true) {
    if (answer.kind === 'document') await answer.chunks[Symbol.asyncIterator]().return?.();
    throw await emptyExport(graphs, request, options);
  }
  const about = { documents: group?.title ?? filesOf(run), store: storeOf(opened, answer), request };
  const { code, bytes } = await print(run, answer, about);
  const note = await noteBehind(graphs, operation.name, request, options, { answer, bytes });
  if (note !== null) run.streams.stderr.write(note);
  if (options.json !== true && MEANT.has(operation.name)) {
    const { vectorNote } = await import('./messages/vector-note.js');
    run.streams.stderr.write(vectorNote(answer) ?? '');
  }
  return code;
}

async function answerOf(
  { operation, options, streams, control }: Run,
  opened: Opened,
  request: Body,
  documents: readonly LoadSource[],
): Promise<Answer<Body>> {
  const { argument } = operation.projections.cli;
  const nameOf = (field: string) => (field === argument?.field ? argument.name : flagOf(optionName(operation, field)));
  const { formOfLine } = await import('./output/out-form.js');
  const { representation, acceptable } = formOfLine(operation, options, streams);
  const remoteContexts =
    options.remoteContexts === true
      ? (await import('./documents/web-documents.js')).contextLoader(control.signal)
      : undefined;
  if ('server' in opened) {
    const asJson = options.json === true;
    const { askServer } = await import('./remote/ask.js');
    const ask = { operation, request, documents, representation, acceptable, asJson, nameOf, control, remoteContexts };
    return askServer(opened.server, ask);
  }
  const threads = threadsOf(options);
  const context = {
    ...opened,
    control,
    documents,
    representation,
    acceptable,
    threads,
    remoteContexts,
    onCommandLine: true as const,
    // A function: looking at it changes it for every process that shares it.
    standardInput: () => streams.stdin,
  };
  return operation.run(context, request, nameOf);
}

/** What a person reads as the place of the store: a server tells its name. */
function storeOf(opened: Opened, answer: Answer<Body>): string {
  if ('store' in opened) return opened.store.path;
  if ('path' in opened) return opened.path;
  return answer.kind === 'body' && typeof answer.body.store === 'string' ? answer.body.store : opened.server.base;
}

function threadsOf(options: CliOptions): number | undefined {
  const value = textOption(options, 'threads');
  if (value === undefined) return undefined;
  if (value !== '1' && value !== '2') throw new SvcError('invalid_request', `--threads is ${value}; expected 1 or 2`);
  return Number(value);
}
