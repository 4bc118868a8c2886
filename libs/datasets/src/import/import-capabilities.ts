import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Capabilities } from '@spandrel/http';
import { DatasetsSettings } from '../datasets.settings.js';

/** Says how large a file may be that is imported (docs/spec/capabilities.md#the-answer). */
@Injectable()
export class ImportCapabilities implements OnModuleInit {
  constructor(
    private readonly capabilities: Capabilities,
    private readonly settings: DatasetsSettings,
  ) {}

  onModuleInit(): void {
    this.capabilities.provide('import_file_bytes', () => this.settings.importFileBytes);
  }
}
