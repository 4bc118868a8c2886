export { cameAs } from './receive-upload.js';
export { decodeUtf8 } from './decode-utf8.js';
export { FileFault } from './decode-utf8.js';
export { isSpace, JsonNesting } from './json-nesting.js';
export { PlainRuns } from './json-nesting.js';
export { receiveUpload, type ReceivedFile } from './receive-upload.js';
export { RowText } from './json-nesting.js';
export { UploadSpool, type SpooledFile } from './upload-spool.js';
export { UploadsModule } from './uploads.module.js';
