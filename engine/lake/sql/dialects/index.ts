/** All dialects. */

import type { Dialect, DialectName } from './dialect.js';
import { DUCKDB } from './duckdb.js';
import { SPARK } from './spark.js';
import { TRINO } from './trino.js';

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = { duckdb: DUCKDB, spark: SPARK, trino: TRINO };
