import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { codeFile } from '@spandrel/kernel/launch';

/** The entries of the SDK, which the build makes files of their own (scripts/build-plan.mjs). */
const ENTRIES: Readonly<Record<string, string>> = {
  '@spandrel/sdk': 'libs/sdk/src/index.ts',
  '@spandrel/sdk/eval': 'libs/sdk/src/eval.ts',
};

/** Lets files that this process loads import the SDK where their project has none installed: they get the command's own. Called once. */
export function provideSdk(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const own = ENTRIES[specifier];
      if (own === undefined) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
        return { url: pathToFileURL(codeFile(own)).href, format: 'module', shortCircuit: true };
      }
    },
  });
}
