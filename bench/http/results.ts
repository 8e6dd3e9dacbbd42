/** Everything that a run of the benchmark of HTTP has measured. */
import type { LoadFigures } from './autocannon.js';
import type { IdleFigures } from './idle.js';
import type { MemoryFigures } from './memory.js';
import type { ShapeName } from './requests.js';
import type { WriterFigures } from './steady-writer.js';

export interface LoadCase {
  readonly size: string;
  readonly server: string;
  readonly shape: ShapeName;
  readonly connections: number;
  readonly load: LoadFigures;
  /** What the server's threads used together, the writer's requests included; null where the system does not say. */
  readonly cpuMs: number | null;
  readonly writer: WriterFigures | null;
}

export interface AnalyticCase {
  readonly size: string;
  readonly server: string;
  /** Analytic queries at once. */
  readonly askers: number;
  readonly without: LoadFigures;
  readonly beside: LoadFigures;
  /** Analytic queries that ended meanwhile. */
  readonly analytic: number;
}

/** Requests at a steady rate below what the server can do, and how long they waited for the store. */
export interface PacedCase {
  readonly size: string;
  readonly shape: ShapeName;
  readonly connections: number;
  /** Of what as many connections got through with nothing between their requests. */
  readonly share: number;
  readonly rate: number;
  readonly load: LoadFigures;
  readonly waitedSeconds: number;
  readonly heldSeconds: number;
}

export interface WaitCase {
  readonly size: string;
  readonly waitedSeconds: number;
  readonly heldSeconds: number;
}

export interface HttpResults {
  readonly loads: LoadCase[];
  readonly analytics: AnalyticCase[];
  readonly idles: { readonly size: string; readonly figures: IdleFigures }[];
  readonly memories: { readonly size: string; readonly updates: boolean; readonly figures: MemoryFigures }[];
  readonly waits: WaitCase[];
  readonly paced: PacedCase[];
}
