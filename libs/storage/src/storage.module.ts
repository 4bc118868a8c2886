import { Module, type DynamicModule } from '@nestjs/common';
import { Storage } from './storage.js';

/** Gives the open {@link Storage} to every feature. The program that opened it closes it. */
@Module({})
export class StorageModule {
  static forRoot(storage: Storage): DynamicModule {
    return {
      module: StorageModule,
      global: true,
      providers: [{ provide: Storage, useValue: storage }],
      exports: [Storage],
    };
  }
}
