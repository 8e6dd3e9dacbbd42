/**
 * The kernels of a thread and the memory they work on. The memory is shared, so that threads of a
 * bulk load can work on one set of structures, and so that views of it never detach when it grows.
 * The WASM module is compiled once per process and can be handed to worker threads.
 */

import { readFileSync } from 'node:fs';
import { SvcError } from '../base/errors.js';
import type { KernelExports } from './exports.js';
import './webassembly.js';

/** Static data and the shadow stack of the kernels lie below this address; see `tools/build.mjs`. */
export const MEMORY_FLOOR = 65536 * 2;
const PAGE_BYTES = 65536;
const PAGES_MAX = 65536;

let compiled: WebAssembly.Module | undefined;

/** The compiled kernels. */
export function kernelModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(readBeside(new URL('./kernels.wasm', import.meta.url)));
  return compiled;
}

/** Not there, somebody has put the code into a bundle of his own. */
function readBeside(file: URL): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new SvcError('unsupported', `the store runs outside of its package: ${file.pathname} is not there`, {
      hint: 'tell your bundler that @svc-graph/svc is external, and install it beside the bundle',
      cause,
    });
  }
}

export function createMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: 16, maximum: PAGES_MAX, shared: true });
}

/** Makes sure that `[0, bytes)` exists; false when the address space of 4 GiB does not hold it. */
export function ensureMemory(memory: WebAssembly.Memory, bytes: number): boolean {
  const missing = bytes - memory.buffer.byteLength;
  if (missing <= 0) return true;
  try {
    memory.grow(Math.ceil(missing / PAGE_BYTES));
    return true;
  } catch {
    return false;
  }
}

export function instantiate(memory: WebAssembly.Memory, module: WebAssembly.Module = kernelModule()): KernelExports {
  const instance = new WebAssembly.Instance<KernelExports>(module, {
    env: {
      memory,
      abort() {
        throw new Error('a kernel aborted');
      },
    },
  });
  return instance.exports;
}
