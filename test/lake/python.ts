/** The Python that has the engines which read lakes, where there is one. */

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';

export const PYTHON = process.env.SVC_LAKE_PYTHON;
/** The Iceberg runtime of Spark; Spark is left out without it. */
export const SPARK_JAR = process.env.SVC_LAKE_SPARK_JAR;

function has(module: string): boolean {
  return PYTHON !== undefined && spawnSync(PYTHON, ['-c', `import ${module}`]).status === 0;
}

/** A reason to skip what needs a module of it. */
export function without(module: string): string | false {
  return has(module) ? false : `${module} absent (SVC_LAKE_PYTHON names a Python that has it)`;
}

/** A program beside that Python. */
export function beside(name: string): string {
  return join(dirname(PYTHON as string), name);
}
