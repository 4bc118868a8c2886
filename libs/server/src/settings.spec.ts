import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { DatabaseSettings } from '../../storage/src/storage.settings.js';
import { FEATURES } from './features.js';
import { SERVER_SETTINGS } from './settings.js';

describe('SERVER_SETTINGS', () => {
  it('are those of the database and of every feature', () => {
    const declared = [DatabaseSettings, ...FEATURES.flatMap(({ settings = [] }) => settings)];
    expect(SERVER_SETTINGS.map(({ name }) => name)).toEqual(declared.map(({ name }) => name));
    expect(new Set(SERVER_SETTINGS)).toEqual(new Set(declared));
  });
});
