/** Which modules a process loads. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

const root = new URL('../../', import.meta.url);

/** A loader hook that writes the address of every module to standard error. */
const HOOK = `import { writeSync } from 'node:fs';
export function load(url, context, next) {
  writeSync(2, 'module ' + url + '\\n');
  return next(url, context);
}`;
const asData = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
const REGISTER = asData(`import { register } from 'node:module'; register(${JSON.stringify(asData(HOOK))});`);

/** Of a process with such arguments: packages by name, our own modules by path. */
export function modulesOf(...words: string[]): string[] {
  const { status, stderr, error } = spawnSync(process.execPath, ['--import', REGISTER, ...words], { encoding: 'utf8' });
  assert.equal(error, undefined);
  assert.equal(status, 0, stderr);
  return [...stderr.matchAll(/^module (file:.*)$/gm)].map(([, url]) => {
    const [inPackage] = /(?<=\/node_modules\/)(?:@[^/]+\/)?[^/]+/.exec(url as string) ?? [];
    return inPackage ?? (url as string).slice(root.href.length);
  });
}
