/**
 * The loop of the kernel benchmarks: calls until the code is compiled and a time is used up, several
 * samples, their median. `prepare` restores the input of a call outside the clock.
 */
import { median } from '../harness/figures.js';

const WARM_UP_MS = 200;
const SAMPLE_MS = 50;
const SAMPLES = 11;

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
  /** Least and greatest sample over the median. */
  readonly spread: readonly [number, number];
}

export function measureKernel(one: KernelCase): KernelFigures {
  sample(one, WARM_UP_MS);
  const samples = Array.from({ length: SAMPLES }, () => sample(one, SAMPLE_MS));
  const perCallMs = median(samples);
  const callsPerSecond = 1000 / perCallMs;
  return {
    kernel: one.kernel,
    file: one.file,
    unit: one.unit,
    unitsPerSecond: callsPerSecond * one.units,
    bytesPerSecond: one.bytes === undefined ? null : callsPerSecond * one.bytes,
    spread: [Math.min(...samples) / perCallMs, Math.max(...samples) / perCallMs],
  };
}

/** Milliseconds of a call, over as many calls as fill the time. */
function sample({ prepare, run }: KernelCase, limitMs: number): number {
  let spentMs = 0;
  let calls = 0;
  while (spentMs < limitMs) {
    prepare?.();
    const begin = performance.now();
    run();
    spentMs += performance.now() - begin;
    calls++;
  }
  return spentMs / calls;
}
