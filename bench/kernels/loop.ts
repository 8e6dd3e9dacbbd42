/**
 * The loop of the kernel benchmarks. `prepare` restores the input of a call; what it takes by itself is
 * measured, too, and taken off.
 *
 * `benchmark` stands behind this file: how many calls make a sample of which the clock can tell, and how many samples
 * make a mean with so much certainty.
 */
import { createRequire } from 'node:module';
import type BenchmarkModule from 'benchmark';

/** Seconds for a kernel, and samples at least. */
const SECONDS = 0.6;
const SAMPLES_MIN = 11;

export interface KernelCase {
  readonly kernel: string;
  /** The source file that a regression points to. */
  readonly file: string;
  /** What one call works on. */
  readonly units: number;
  readonly unit: string;
  /** Bytes that one call reads, where that says more than rows. */
  readonly bytes?: number;
  readonly prepare?: () => void;
  readonly run: () => void;
}

export interface KernelFigures {
  readonly kernel: string;
  readonly file: string;
  readonly unit: string;
  readonly unitsPerSecond: number;
  readonly bytesPerSecond: number | null;
  /** Of the mean, in percent, at 95 % certainty. */
  readonly marginPercent: number;
  readonly samples: number;
}

interface Timing {
  readonly seconds: number;
  readonly marginSeconds: number;
  readonly samples: number;
}

export function measureKernel(one: KernelCase): KernelFigures {
  const { kernel, file, unit, units, bytes, prepare, run } = one;
  const whole = time(prepare === undefined ? run : () => [prepare(), run()]);
  const before = prepare === undefined ? null : time(prepare);
  const seconds = whole.seconds - (before?.seconds ?? 0);
  const margin = whole.marginSeconds + (before?.marginSeconds ?? 0);
  return {
    kernel,
    file,
    unit,
    unitsPerSecond: units / seconds,
    bytesPerSecond: bytes === undefined ? null : bytes / seconds,
    marginPercent: (100 * margin) / seconds,
    samples: whole.samples,
  };
}

/** Of a call. It throws what the call throws. */
function time(run: () => void): Timing {
  // It is a script of before there were modules.
  const Benchmark = createRequire(import.meta.url)('benchmark') as typeof BenchmarkModule;
  run();
  const measured = new Benchmark({ fn: run, maxTime: SECONDS, minSamples: SAMPLES_MIN });
  measured.run({ async: false });
  const { error, stats } = measured as BenchmarkModule & { readonly error?: unknown };
  if (error !== undefined) throw error;
  return { seconds: stats.mean, marginSeconds: stats.moe, samples: stats.sample.length };
}
