/** How TypeScript is compiled: by the build, by the tests, and where a script imports sources. */
export const SWC_OPTIONS = {
  swcrc: false,
  sourceMaps: true,
  module: { type: 'es6' },
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
    // Nest injects by the types of a constructor's parameters, which decoratorMetadata keeps.
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
};
