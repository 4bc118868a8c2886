import { defineScorer, readExactJson } from '@spandrel/plugin-api';
import type { SchemaCheck } from './compile-schema.js';

interface JsonSchemaConfig {
  schema?: Record<string, unknown> | undefined;
}

/** 1 when the output is JSON that a JSON Schema takes, else 0 (docs/spec/evaluations.md#scoring-strategies). */
export default defineScorer<JsonSchemaConfig>({
  name: 'JsonSchema',
  config: (z) =>
    z.strictObject({
      schema: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Needed: a JSON Schema of draft 2020-12, or of that which $schema names (2019-09, draft-07).'),
    }),
  // Programs that score nothing load every plugin, but not ajv.
  async setup() {
    const { compileSchema } = await import('./compile-schema.js');
    const compiled = new WeakMap<JsonSchemaConfig, SchemaCheck>();
    const compile = (config: JsonSchemaConfig): SchemaCheck => {
      const check = compiled.get(config) ?? compileSchema(config.schema ?? {});
      compiled.set(config, check);
      return check;
    };
    return {
      needsExpected: false,
      inThread: true,
      configFaults(config) {
        if (config.schema === undefined) return [{ path: 'schema', message: 'is required' }];
        try {
          compile(config);
          return [];
        } catch (error) {
          return [{ path: 'schema', message: `cannot be used: ${(error as Error).message}` }];
        }
      },
      score({ output, config }) {
        // Says what nests too deeply, as ExactMatch does; numbers of a schema are doubles.
        if (readExactJson(output) === undefined) return { score: 0, reason: 'the output is not JSON' };
        const fault = compile(config)(JSON.parse(output));
        return fault === undefined ? { score: 1 } : { score: 0, reason: fault };
      },
    };
  },
});
