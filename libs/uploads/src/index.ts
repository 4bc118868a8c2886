export { cameAs } from './came-as.js';
export { decodeUtf8 } from './decode-utf8.js';
export { FileFault } from './file-fault.js';
export { isSpace, JsonNesting } from './json-nesting.js';
export { PlainRuns } from './plain-runs.js';
export { receiveUpload, type ReceivedFile } from './receive-upload.js';
export { RowText } from './row-text.js';
export { UploadSpool, type SpooledFile } from './upload-spool.js';
export { UploadsModule } from './uploads.module.js';
