/**
 * One round of care: fold what is in the delta, then merge runs that are due, each published on its
 * own. Goes forward by steps; `ready` says that the next step publishes.
 */

import { compactInSteps } from '../fold/compact-dictionary.js';
import { FoldJob } from '../fold/fold-job.js';
import { fileView } from '../indexes/file-view.js';
import { buildTexts, DUE_TERMS } from '../indexes/text/build-texts.js';
import { readHead } from '../log/head.js';
import { mergeJob } from '../merge/merge-job.js';
import { dueMerges } from '../merge/merge-policy.js';
import { FileSink } from '../runs/file-sink.js';
import type { Manifest } from '../runs/manifest.js';
import type { View } from '../snapshot/view.js';
import { figuresOfView } from '../stats/figures-of-view.js';
import type { MaintenanceFigures, MaintenanceHost } from './maintenance-host.js';

export class MaintenanceJob {
  readonly #host: MaintenanceHost;
  readonly #figures: MaintenanceFigures;
  readonly #work: Generator<void, void>;
  readonly #windowRows: number | undefined;
  readonly whole: boolean;
  phase = 'fold';
  done = 0;
  /** True when the next step publishes: no write may be staged then. */
  ready = false;
  #sink: FileSink | null = null;
  #release: (() => void) | null = null;

  /** `whole`: all merges that make reads faster, not just those that keep the number of runs bounded. */
  constructor(host: MaintenanceHost, figures: MaintenanceFigures, windowRows: number | undefined, whole: boolean) {
    this.#windowRows = windowRows;
    this.whole = whole;
    this.#host = host;
    this.#figures = figures;
    this.#work = this.#run();
  }

  /** False when there is nothing left to do. */
  step(): boolean {
    this.done++;
    return this.#work.next().done !== true;
  }

  /** Gives up; what was written invisibly is removed. */
  drop(): void {
    this.#work.return();
    this.#end();
    this.#sink?.discard();
    this.#sink = null;
  }

  *#run(): Generator<void, void> {
    yield* this.#fold();
    this.phase = 'merge runs';
    while (yield* this.#merge());
    this.phase = 'merge the dictionary';
    yield* this.#compact();
    this.phase = 'index texts';
    yield* buildTexts({
      view: () => {
        const { context, committer } = this.#host;
        committer.flush();
        const transaction = context.file.beginRead();
        this.#release = () => context.file.release(transaction);
        return fileView(context, { ...context.state(transaction), transaction });
      },
      release: () => this.#end(),
      write: (change) => this.#host.context.file.write(() => change(this.#host.context.file)),
      least: this.whole ? 1 : DUE_TERMS,
    });
  }

  /** A view of what is on the disk, pinned until `#end`. */
  #view(): { view: View; termsEnd: number } {
    const { context, committer } = this.#host;
    committer.flush();
    const transaction = context.file.beginRead();
    const manifest = context.manifest(transaction);
    const head = readHead(context.file, manifest, transaction);
    const delta = context.deltas.get(manifest, head, transaction).pin();
    this.#release = () => {
      delta.unpin();
      context.file.release(transaction);
    };
    const view = { context, manifest, transaction, tx: head.lastTx, delta, stage: null, disjoint: false };
    return { view, termsEnd: head.nextTermNumber };
  }

  #end(): void {
    this.#release?.();
    this.#release = null;
  }

  *#fold(): Generator<void, void> {
    const { view, termsEnd } = this.#view();
    try {
      if (view.tx === view.manifest.foldedTx) return;
      const sink = this.#begin(view);
      const result = yield* new FoldJob(view, sink, termsEnd, view.tx).run();
      const root = yield* figuresOfView(view);
      yield* this.#turn();
      const { committer } = this.#host;
      committer.flush();
      sink.flush();
      committer.publish({ ...result, manifest: { ...result.manifest, root }, head: committer.head });
      this.#figures.rowsFolded += result.rows;
      this.#published();
    } finally {
      this.#end();
    }
  }

  #begin(view: View): FileSink {
    const sink = new FileSink(this.#host.context.file, view.manifest);
    this.#sink = sink;
    return sink;
  }

  /** Waits for the moment to publish. */
  *#turn(): Generator<void, void> {
    this.ready = true;
    yield;
    this.ready = false;
  }

  #published(): void {
    this.#figures.bytesWritten += this.#sink?.bytes ?? 0;
    this.#sink = null;
  }

  /** One merge that is due; false when none is. */
  *#merge(): Generator<void, boolean> {
    const { context, committer } = this.#host;
    const manifest = this.#manifest();
    const due = dueMerges(manifest, this.#windowRows, this.whole)[0];
    if (due === undefined) return false;
    const { file, memory } = context;
    const sink = new FileSink(file, manifest);
    this.#sink = sink;
    const outcome = yield* mergeJob({ file, memory, sink, windowRows: this.#windowRows }, manifest, due);
    yield* this.#turn();
    committer.flush();
    sink.flush();
    const removed = { runs: outcome.replaced, directories: [] };
    // Later commits write the head on, with the version of this manifest.
    committer.publish({ manifest: outcome.manifest, head: committer.head, removed });
    this.#figures.runsMerged += outcome.replaced.length;
    this.#published();
    return true;
  }

  #manifest(): Manifest {
    const { context } = this.#host;
    const transaction = context.file.beginRead();
    try {
      return context.manifest(transaction);
    } finally {
      context.file.release(transaction);
    }
  }

  *#compact(): Generator<void, void> {
    const { view } = this.#view();
    try {
      const sink = this.#begin(view);
      const compacted = yield* compactInSteps(
        this.#host.context.file,
        view.manifest,
        sink,
        this.#host.seed,
        this.whole,
      );
      if (compacted.hashBlocks.length + compacted.directories.length === 0) {
        this.#sink = null;
        return;
      }
      yield* this.#turn();
      const { committer } = this.#host;
      committer.flush();
      sink.flush();
      committer.publish({
        manifest: compacted.manifest,
        head: committer.head,
        hashBlocks: compacted.hashBlocks,
        removed: { runs: [], directories: compacted.directories },
      });
      this.#published();
    } finally {
      this.#end();
    }
  }
}
