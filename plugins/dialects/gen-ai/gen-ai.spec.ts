import { describe, it } from '@jest/globals';
import { describeDialectContract } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import genAi from './index.js';

describeDialectContract({ plugin: genAi, spans: BY_HAND }, { describe, it });
