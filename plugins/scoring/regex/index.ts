import { assertPatternSize, defineScorer } from '@spandrel/plugin-api';
import { RE2JS } from 're2js';

/** Longest pattern, in UTF-16 units. */
const PATTERN_LENGTH_MAX = 1_000;

interface RegexConfig {
  pattern?: string | undefined;
  ignore_case: boolean;
  must_match: boolean;
}

/** 1 when the output matches a pattern in the syntax of RE2, or when it does not and must not (docs/spec/evaluations.md#scoring-strategies). */
export default defineScorer<RegexConfig>({
  name: 'Regex',
  config: (z) =>
    z.strictObject({
      pattern: z
        .string()
        .min(1)
        .max(PATTERN_LENGTH_MAX)
        .optional()
        .describe('Needed: a regular expression in the syntax of RE2.'),
      ignore_case: z.boolean().default(false),
      must_match: z.boolean().default(true).describe('false: an output that matches scores 0, any other 1.'),
    }),
  setup() {
    const compiled = new WeakMap<RegexConfig, RE2JS>();
    const compile = (config: RegexConfig): RE2JS => {
      const pattern = compiled.get(config) ?? compilePattern(config);
      compiled.set(config, pattern);
      return pattern;
    };
    return {
      needsExpected: false,
      inThread: true,
      configFaults(config) {
        if (config.pattern === undefined) return [{ path: 'pattern', message: 'is required' }];
        try {
          compile(config);
          return [];
        } catch (error) {
          return [{ path: 'pattern', message: `cannot be used: ${(error as Error).message}` }];
        }
      },
      score: ({ output, config }) => ({ score: compile(config).test(output) === config.must_match ? 1 : 0 }),
    };
  },
});

/** @throws Error saying what is wrong with the pattern. */
function compilePattern({ pattern = '', ignore_case: ignoreCase }: RegexConfig): RE2JS {
  assertPatternSize(pattern, ignoreCase);
  return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
}
