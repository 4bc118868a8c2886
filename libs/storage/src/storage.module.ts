import { Module, type DynamicModule } from '@nestjs/common';
import { Readiness } from '@spandrel/kernel';
import { ProjectProtection } from './projects/project-protection.js';
import { Storage } from './storage.js';

/** Gives the open {@link Storage} to every feature. The program that opened it closes it. */
@Module({})
export class StorageModule {
  constructor(storage: Storage, readiness: Readiness) {
    readiness.require(() => storage.check());
  }

  static forRoot(storage: Storage): DynamicModule {
    return {
      module: StorageModule,
      global: true,
      providers: [{ provide: Storage, useValue: storage }, ProjectProtection],
      exports: [Storage, ProjectProtection],
    };
  }
}
