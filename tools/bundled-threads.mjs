/**
 * Loaded before the tests: the threads of a store run from their bundles, as they do where svc is installed, while the
 * test itself runs from the modules. A thread of modules needs twice the time of the processor to be ready, and a test
 * of the server starts two.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';

const threads = createRequire(import.meta.url)('node:worker_threads');
const OF_ENGINE = /^(file:.*\/)engine\/.*\/([\w-]+-thread\.js)$/;

threads.Worker = class Worker extends threads.Worker {
  constructor(script, options) {
    const [, built, name] = OF_ENGINE.exec(String(script)) ?? [];
    super(name === undefined ? script : new URL(`${built}bundle/${name}`), options);
  }
};
syncBuiltinESMExports();
