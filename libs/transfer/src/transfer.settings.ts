import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';

/** What users set about exports and imports of everything. */
export class TransferSettings extends defineSettings({
  importBytes: setting('limits.import_bytes', settingValue.bytes, {
    default: 1_073_741_824,
    doc: 'Largest export that can be imported as a whole, in bytes.',
  }),
  bundleBytes: setting('limits.bundle_bytes', settingValue.bytes, {
    default: 134_217_728,
    doc: 'Most that the texts of traces may come to which are downloaded as one file, in bytes before they are compressed.',
  }),
}) {}
