import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from './open-context.js';

const KEY = Symbol.for('@spandrel/sdk context 1');
const shared = globalThis as { [KEY]?: AsyncLocalStorage<Context> };

/** One for all instances of the SDK in a process, and for each copy of the package that is loaded. */
export const context: AsyncLocalStorage<Context> = (shared[KEY] ??= new AsyncLocalStorage());
