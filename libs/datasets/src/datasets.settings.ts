import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';

/** What users set about datasets. */
export class DatasetsSettings extends defineSettings({
  importFileBytes: setting('limits.import_file_bytes', settingValue.bytes, {
    default: 104_857_600,
    doc: 'Largest file that can be imported into a dataset, in bytes.',
  }),
}) {}
