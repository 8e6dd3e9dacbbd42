/** The engine that a question names, over a lake in a folder. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { LakeEngine } from '../lake-engine.js';
import { LAKE_FILE, type LakeContent, readLakeFile } from '../lake-file.js';
import { FolderTarget } from '../target/folder-target.js';

export type EngineName = 'duckdb' | 'spark' | 'trino';

export interface EngineOptions extends Control {
  /** For Spark: the interpreter that has pyspark. */
  readonly python?: string | undefined;
}

const PYTHON = 'python3';

export async function openEngine(name: EngineName, folder: string, options: EngineOptions): Promise<LakeEngine> {
  const target = new FolderTarget(folder);
  const content = await contentOf(target);
  if (name === 'duckdb') {
    const { openDuckdb } = await import('./duckdb.js');
    return openDuckdb(target.name, content);
  }
  if (name === 'spark') {
    const { openSpark } = await import('./spark.js');
    return openSpark(target.name, content, { ...options, python: options.python ?? process.env.SVC_PYTHON ?? PYTHON });
  }
  throw new SvcError('unsupported', 'a Trino is not asked from here', {
    hint: 'print the SQL with svc lake sql --dialect trino, and give it to the command of your Trino',
  });
}

async function contentOf(target: FolderTarget): Promise<LakeContent> {
  const file = await target.read(LAKE_FILE);
  if (file === null) {
    throw new SvcError('not_found', `there is no lake in ${target.name}`, { hint: 'make it with svc lake export DIR' });
  }
  return readLakeFile(file.bytes, `${target.name}/${LAKE_FILE}`);
}
