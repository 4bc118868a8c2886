import { describe, it } from '@jest/globals';
import { describeScorerContract } from '@spandrel/plugin-api/testing';
import none from './index.js';

describeScorerContract(
  {
    plugin: none,
    configs: { accepted: [{}], refused: [{ score: 1 }, null] },
    needsExpected: false,
    samples: [
      { name: 'an output', sample: {}, expected: null },
      { name: 'an output that is as expected', sample: { output: 'yes', expected: 'yes' }, expected: null },
    ],
  },
  { describe, it },
);
