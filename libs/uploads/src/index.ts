export { cameAs } from './receive-upload.js';
export { decodeUtf8, FileFault } from './decode-utf8.js';
export { isSpace, JsonNesting, PlainRuns, RowText } from './json-nesting.js';
export { jsonArrayRows, jsonlRows } from './json-rows.js';
export { receiveUpload, type ReceivedFile, type UploadRules } from './receive-upload.js';
export { tooLarge, UploadSpool, type SpooledFile } from './upload-spool.js';
export { UploadsModule } from './upload-spool.js';
