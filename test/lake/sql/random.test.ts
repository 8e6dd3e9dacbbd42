/** Random queries have the answer of the store, or are refused. SVC_LAKE_QUERIES asks for so many; SVC_LAKE_SEED begins elsewhere. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeReport, type RandomReport, runRandomQueries } from './random-run.js';

const SEED = Number(process.env.SVC_LAKE_SEED ?? 1);
const wanted = process.env.SVC_LAKE_QUERIES;
const python = process.env.SVC_LAKE_PYTHON;

function check(report: RandomReport): void {
  if (wanted !== undefined) console.log(describeReport(report));
  assert.deepEqual(report.different, []);
  assert.ok(report.equal > 0.8 * report.cases, describeReport(report));
}

test('DuckDB answers random queries as the store does', async () => {
  check(await runRandomQueries({ seed: SEED, cases: Number(wanted ?? 200) }));
});

test('DuckDB answers random queries about the past as the store does', async () => {
  check(await runRandomQueries({ seed: SEED + 100_000, cases: Number(wanted ?? 80), history: true }));
});

test('Spark answers random queries as the store does', {
  skip: python === undefined ? 'SVC_LAKE_PYTHON names no Python with pyspark' : false,
}, async () => {
  const report = await runRandomQueries({ seed: SEED, cases: 300, engine: { python: python as string } });
  console.log(describeReport(report));
  assert.deepEqual(report.different, []);
  assert.ok(report.equal > 0.6 * report.cases, describeReport(report));
});
