import { Module } from '@nestjs/common';
import { RecordsModule } from '../reading/records.module.js';
import { BuildTextIndex } from './build-text-index.js';
import { TextIndexTask } from './text-index-task.js';
import { TextIndexStore } from './text-index.store.js';

/** The index of texts (README.md). */
@Module({
  imports: [RecordsModule],
  providers: [TextIndexStore, BuildTextIndex, TextIndexTask],
})
export class TextIndexModule {}
