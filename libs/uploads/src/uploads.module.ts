import { Module } from '@nestjs/common';
import { UploadSpool } from './upload-spool.js';

/** Uploaded files, kept on disk until they have arrived as a whole. */
@Module({ providers: [UploadSpool], exports: [UploadSpool] })
export class UploadsModule {}
