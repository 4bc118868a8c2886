import { Module, type DynamicModule } from '@nestjs/common';
import { type OwnedTable, Readiness } from '@spandrel/kernel';
import { ProjectProtection, ProjectRemovers } from './projects/project-removers.js';
import { Storage } from './storage.js';

/** Gives the open {@link Storage} to every feature. The program that opened it closes it. */
@Module({})
export class StorageModule {
  constructor(storage: Storage, readiness: Readiness) {
    readiness.require(() => storage.check());
  }

  /** @param owned tables of all features that there are, in the order in which their rows go with a project. */
  static forRoot(storage: Storage, owned: readonly OwnedTable[] = []): DynamicModule {
    const removers = { provide: ProjectRemovers, useValue: new ProjectRemovers(owned) };
    return {
      module: StorageModule,
      global: true,
      providers: [{ provide: Storage, useValue: storage }, ProjectProtection, removers],
      exports: [Storage, ProjectProtection, ProjectRemovers],
    };
  }
}
