import { describe, it } from '@jest/globals';
import { describeDialectContract } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import traceloop from './index.js';

describeDialectContract({ plugin: traceloop, spans: BY_HAND }, { describe, it });
